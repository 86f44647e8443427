/**
 * A value that is often known at once. A step returns a promise only when it really has to wait: awaiting a value that
 * is already there costs more than most steps do. Callers write `isPending(value) ? await value : value`.
 */
export type MaybePromise<Value> = Value | Promise<Value>

export function isPending<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return value instanceof Promise
}
