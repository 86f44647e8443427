import { GatewayError } from '../../errors/gateway-error.ts'
import { findPasswordFault } from '../../rules/access/sign-in-rules.ts'
import type { User } from '../../vocabulary/user.ts'
import type { IdentityParts } from './parts.ts'
import type { Asker } from './password-hasher.ts'

/** A user's own password, or false after just as much work. */
export async function checkPassword(
  { store, hashing }: IdentityParts,
  user: User | null,
  { password, asker }: { readonly password: string; readonly asker: Asker },
): Promise<boolean> {
  // Asked of nobody too, for the time it takes.
  const hash = await store.findPasswordHash(user?.id ?? '')
  return hashing.verify(password, hash, asker)
}

/** The hash of a password that somebody wants to have, or a refusal that says what is wrong with it. */
export function hashNewPassword(
  { hashing }: IdentityParts,
  password: string,
  { email, param, asker }: { readonly email: string; readonly param: string; readonly asker: Asker },
): Promise<string> {
  const fault = findPasswordFault(password, email)
  if (fault !== null) throw new GatewayError('invalid_request', fault, { param })
  return hashing.hash(password, asker)
}
