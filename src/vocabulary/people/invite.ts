import { choice, flag, id, integer, text, time } from '../field.ts'
import { shape, type Value } from '../shape.ts'
import { User } from '../user.ts'
import { ROLES } from '../words.ts'

const DEFAULT_DAYS = 7
const MOST_DAYS = 30
const token = text(100).example('mP4cW0…')
const email = User.fields.email.nullable()

/** An open invitation to an account. The token is not stored, only its hash. */
export const StoredInvite = shape('StoredInvite', {
  id: id('inv'),
  accountId: id('acc'),
  /** In normal form; null: whoever has the link. */
  email,
  role: choice(ROLES),
  tokenHash: text(),
  createdBy: text().example('ada@example.com'),
  createdAtMs: time(),
  expiresAtMs: time(),
})
export type StoredInvite = Value<typeof StoredInvite>

/** An invitation as owners of the account see it. */
export const Invite = StoredInvite.without('Invite', ['accountId', 'tokenHash'])
export type Invite = Value<typeof Invite>

/** The only answer with the token. The link is `/console/join#` and the token: what follows `#` is not sent to servers. */
export const IssuedInvite = Invite.with('IssuedInvite', {
  token,
  isMailed: flag().as('mailed').note('Whether the link was sent to the address.').example(false),
})
export type IssuedInvite = Value<typeof IssuedInvite>

export const InviteCreate = shape('InviteCreate', {
  email: email.default(null).note('Only a user with this address can accept; null: whoever has the link.'),
  role: choice(ROLES),
  days: integer({ min: 1, max: MOST_DAYS })
    .default(DEFAULT_DAYS)
    .note('How long it can be accepted; 7 by default.')
    .example(7),
}).draft
export type InviteCreate = ReturnType<(typeof InviteCreate)['read']>

export const InviteToken = shape('InviteToken', { token }).draft

/** What somebody with the link sees before they accept. */
export const InviteOffer = StoredInvite.pick('InviteOffer', [
  'email',
  'role',
  'createdBy',
  'expiresAtMs',
]).with('InviteOffer', { accountName: text().example('Acme') })
export type InviteOffer = Value<typeof InviteOffer>

/** Accepts as a new user, without an account of their own. */
export const InviteJoin = shape('InviteJoin', {
  token,
  email: User.fields.email,
  name: User.fields.name,
  password: text(400, { min: 0 }).example('violet-kettle-42'),
}).draft
export type InviteJoin = ReturnType<(typeof InviteJoin)['read']>

export const PasswordForgotten = shape('PasswordForgotten', { email: User.fields.email }).draft

/** A new password from somebody who got the mail. */
export const PasswordRenewal = shape('PasswordRenewal', {
  token,
  password: text(400, { min: 0 }).example('violet-kettle-42'),
}).draft
export type PasswordRenewal = ReturnType<(typeof PasswordRenewal)['read']>

/** Of a user who has asked for a new password. */
export const StoredReset = shape('StoredReset', { userId: id('usr'), tokenHash: text(), expiresAtMs: time() })
export type StoredReset = Value<typeof StoredReset>
