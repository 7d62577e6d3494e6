/**
 * Calls from a handler of Restate to another, with JSON.
 *
 * @module
 */
import type { Context, InvocationHandle, Serde } from '@restatedev/restate-sdk';
import type { Sdk } from './sdk.ts';

/** A call of a handler. */
export interface HandlerCall {
  readonly service: string;
  readonly method: string;
  /** Key of the object; absent for a service. */
  readonly key?: string;
  readonly parameter: unknown;
  /** Milliseconds until it is called. @default 0 */
  readonly delay?: number;
  readonly idempotencyKey?: string;
}

/** Calls of handlers. */
export interface Calls {
  /** Sends a call, whose result nobody awaits. */
  readonly send: (ctx: Context, call: HandlerCall) => InvocationHandle;
  /** Calls, and resolves with the result. */
  readonly call: <T>(ctx: Context, call: HandlerCall) => Promise<T>;
}

/** Creates the calls. */
export function createCalls({ serde }: Sdk): Calls {
  const { json } = serde;
  function jsonOf<T>(): Serde<T> {
    return {
      contentType: json.contentType,
      serialize: (value) => json.serialize(value),
      deserialize(data) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own services answer with this type
        return json.deserialize(data) as T;
      },
    };
  }
  return {
    send: (ctx, call) => ctx.genericSend({ ...call, inputSerde: jsonOf<unknown>() }),
    call: <T>(ctx: Context, { service, method, key, parameter }: HandlerCall) =>
      ctx.genericCall<unknown, T>({
        service,
        method,
        parameter,
        ...(key !== undefined && { key }),
        inputSerde: jsonOf<unknown>(),
        outputSerde: jsonOf<T>(),
      }),
  };
}
