/**
 * A process that opens a workspace and expects another one, until its parent lets it end.
 *
 * @module
 */
import { gitWorkspace } from '../../src/workspaces/operations/git-workspace.ts';
import { placeOf, signal } from './rig-places.ts';

const [, , user = '', root = ''] = process.argv;

const workspaces = gitWorkspace({ repository: user, root });
const { base } = await workspaces.start({ run: 'run', signal });
await workspaces.open(placeOf(), { base, ahead: 1, signal });
process.once('disconnect', () => process.exit());
process.send?.('open');
