import type { Passwords } from '../../src/manage/identity/passwords.ts'

/** The same algorithm at its lowest costs: every gateway hashes the password of its first user when it starts. */
export const LIGHT_PASSWORDS: Passwords = {
  hash: (password) => Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 }),
  verify: Bun.password.verify,
}
