/**
 * A worker in a process of its own: `worker.ts <port> <file of starts> <store>`.
 *
 * @module
 */
import { sqliteStore } from '../../src/sqlite.ts';
import { labPipeline } from './lab.ts';
import { startWorker } from './server.ts';

const [port, starts = '', store = ''] = process.argv.slice(2);
await startWorker({ pipelines: [labPipeline(starts)], store: sqliteStore(store), pollMs: 200 }, Number(port));
console.log('listening');
