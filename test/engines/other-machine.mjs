/** Makes a process one of another machine: with the host name MACHINE, and a clock that is CLOCK milliseconds ahead. */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const { MACHINE = '', CLOCK = '0' } = process.env;
os.hostname = () => MACHINE;
syncBuiltinESMExports();

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + Number(CLOCK));
    else super(...given);
  }
  static now() {
    return RealDate.now() + Number(CLOCK);
  }
};
