import type { ParentLink } from '../../serve/ports/shared-limits.ts'

/** A number that identifies the call on its connection, the method, and its arguments. */
export type CallLine = readonly [id: number, name: CallName, ...args: readonly unknown[]]
/** `failure` is present only when the call has failed. */
export type AnswerLine = readonly [id: number, answer: unknown, failure?: string]

/** The call that opens a connection; it has no answer. */
export const HELLO = 'hello'
/** Notices, which answer no call, have this number. */
export const NOTICE_ID = 0

/** What travels as JSON, arguments and answers. */
export type CallName = keyof Omit<ParentLink, 'onNotice' | 'onConnected' | 'close'>
