import { OPERATOR } from './operator-lists.ts'
import type { OperatorUser } from './operator-shapes.ts'

export const USERS = `${OPERATOR}/users`
export const USERS_KEY = ['operator', 'users'] as const

export function userCall(id: string, rest = ''): string {
  return `${USERS}/${encodeURIComponent(id)}${rest}`
}

/** The answer that made a user or reset a password; the password is in it for the only time. */
export interface IssuedUser extends OperatorUser {
  readonly password: string | null
}
