import { Type } from 'typebox'
import { IssuedKey } from './api-key.ts'
import { choice, flag, id, integer, json, list, text, time } from './field.ts'
import { shape, type Value } from './shape.ts'

export const ROLES = ['owner', 'member'] as const
export type Role = (typeof ROLES)[number]

const LONGEST_EMAIL = 320
const email = text(LONGEST_EMAIL).example('ada@example.com')
// Longer than any password may be, so that the rule itself says what is wrong; bounded, because hashing takes time.
const password = text(400, { min: 0 }).example('violet-kettle-42')
const code = text(40, { min: 0 }).example('123456')
const role = choice(ROLES)

/** A user as the database has them. */
export const StoredUser = shape('StoredUser', {
  id: id('usr'),
  /** In the one way addresses are written here. */
  email,
  name: text().example('Ada'),
  passwordHash: text().nullable(),
  isOperator: flag().example(false),
  isDisabled: flag().as('disabled').example(false),
  /** Whether somebody other than the user vouches for the address: an operator, or the provider that signed them in. */
  isEmailVerified: flag(),
  /** `<issuer> <subject>` at the provider they sign in with; null when at none. */
  outsideId: text().nullable(),
  /** Browsers known under an earlier one are known no more. */
  deviceGeneration: integer(),
  createdAtMs: time(),
})

/** A person who signs in to the console. Never holds the password or anything made of it. */
export const User = StoredUser.without('SafeUser', ['passwordHash']).with('SafeUser', {
  hasPassword: flag(),
  hasSecondFactor: flag().as('totp_enabled').example(false),
})
export type User = Value<typeof User>

export type UserUpdate = Partial<
  Pick<
    Value<typeof StoredUser>,
    'name' | 'isOperator' | 'isDisabled' | 'isEmailVerified' | 'outsideId' | 'passwordHash'
  >
>

export const Membership = shape('Membership', { userId: id('usr'), accountId: id('acc'), role })
export type Membership = Value<typeof Membership>

/** A member of an account, as its owners see them. */
export const Member = User.pick('Member', ['email', 'name']).with('Member', { userId: id('usr'), role })
export type Member = Value<typeof Member>

export const MemberAdd = Member.pick('MemberAdd', ['email', 'role']).draft
export type MemberAdd = ReturnType<(typeof MemberAdd)['read']>

const UserAccount = shape('UserAccount', { accountId: id('acc').as('id'), role })

/** A user as operators see them. */
export const UserView = User.pick('User', [
  'id',
  'email',
  'name',
  'isOperator',
  'isDisabled',
  'hasPassword',
  'hasSecondFactor',
  'createdAtMs',
]).with('User', { accounts: list(UserAccount.field) })
export type UserView = Value<typeof UserView>

/** The only answers that ever hold a password: one that was made for somebody. */
export const IssuedUser = UserView.with('IssuedUser', { password: password.nullable() })
export type IssuedUser = Value<typeof IssuedUser>

export const UserCreate = shape('UserCreate', {
  email: text(LONGEST_EMAIL, { min: 3 }).example('ada@example.com'),
  name: User.fields.name.default((others: { readonly email: string }) => others.email),
  password: password
    .nullable()
    .optional()
    .note('Left out: one is made and shown once. Null: none, for users of another provider.'),
  isOperator: User.fields.isOperator.default(false),
  accountId: id('acc').nullable().default(null).note('An account the user becomes a member of.'),
  role: role.default('owner').note('In that account; `owner` when left out.'),
}).draft
export type UserCreate = ReturnType<(typeof UserCreate)['read']>

export const UserChange = User.pick('UserChange', ['name', 'isOperator', 'isDisabled']).with('UserChange', {
  hasSecondFactor: json<false>(Type.Literal(false), false)
    .as('totp_enabled')
    .note('False switches the second factor off, for somebody who has lost it.'),
}).patch
export type UserChange = ReturnType<(typeof UserChange)['read']>

export const PasswordReset = shape('PasswordReset', {
  password: password.optional().note('Left out: one is made and shown once.'),
}).draft

export const Session = shape('StoredSession', {
  id: id('ses'),
  userId: id('usr'),
  /** What stands for the cookie's value, which is not kept. */
  tokenHash: text(),
  createdAtMs: time(),
  lastSeenAtMs: time(),
  address: text().nullable().example('203.0.113.7'),
  userAgent: text().nullable().example('Mozilla/5.0'),
})
export type Session = Value<typeof Session>

/** A session as the user who has it sees it. */
export const SessionView = Session.without('Session', ['userId', 'tokenHash']).with('Session', {
  isCurrent: flag().as('current').note('Whether it is the one that asks.'),
})
export type SessionView = Value<typeof SessionView>

export const SessionList = shape('SessionList', { data: list(SessionView.field) })

export const SecondFactor = shape('SecondFactor', {
  userId: id('usr'),
  /** Base32. Sealed on the way in. */
  secret: text(),
  /** False until the user has shown that the app knows the secret. */
  isConfirmed: flag(),
  /** Codes of this step and earlier ones are used up. */
  lastStep: integer(),
})
export type SecondFactor = Value<typeof SecondFactor>

export const SignIn = shape('SignIn', { email, password, code: code.nullable().default(null) }).draft
export type SignIn = ReturnType<(typeof SignIn)['read']>

export const SignUp = shape('SignUp', { email, password, name: User.fields.name }).draft
export type SignUp = ReturnType<(typeof SignUp)['read']>

export const ProfileChange = User.pick('ProfileChange', ['name']).draft

export const PasswordChange = shape('PasswordChange', { current: password, next: password.as('new') }).draft
export type PasswordChange = ReturnType<(typeof PasswordChange)['read']>

export const FactorCode = shape('FactorCode', { code }).draft

/** That whoever asks is the user who is signed in: one of the two. */
export const FactorProof = shape('FactorProof', {
  password: password.nullable().default(null),
  code: code.nullable().default(null),
}).draft
export type FactorProof = ReturnType<(typeof FactorProof)['read']>

/** A new secret for the authenticator app. */
export const FactorSecret = shape('FactorSecret', {
  secret: text().example('JBSWY3DPEHPK3PXP'),
  uri: text().example('otpauth://totp/Turnpike:ada%40example.com?secret=JBSWY3DPEHPK3PXP'),
  qrSvg: text().note('The address as a QR code.').example('<svg xmlns="http://www.w3.org/2000/svg"/>'),
})

export const RecoveryCodes = shape('RecoveryCodes', {
  recoveryCodes: list(text().example('abcdefgh-ijklmnop')),
})

/** What the console's page has to know of whoever is signed in, or of nobody. */
export const SessionState = shape('SessionState', {
  user: User.pick('SignedInUser', [
    'id',
    'email',
    'name',
    'isOperator',
    'hasSecondFactor',
    'hasPassword',
  ]).field.nullable(),
  accounts: list(UserAccount.with('OwnAccount', { name: text().example('Acme') }).field),
  csrfToken: text()
    .note('Goes with every request that changes something, as `x-csrf-token`.')
    .example('mP4c…'),
  allowsSignUp: flag().as('sign_up'),
  outside: shape('OutsideProvider', { name: text().example('Example ID') })
    .field.nullable()
    .as('oidc')
    .note('The other provider to sign in with.'),
  version: text().example('1.2.0'),
})
export type SessionState = Value<typeof SessionState>

/** Which key a user's playground has in an account. */
export const PlaygroundKey = shape('StoredPlaygroundKey', {
  userId: id('usr'),
  accountId: id('acc'),
  keyId: id('key'),
})
export type PlaygroundKey = Value<typeof PlaygroundKey>

export const IssuedPlaygroundKey = IssuedKey.pick('PlaygroundKey', ['secret', 'expiresAtMs']).with(
  'PlaygroundKey',
  { id: id('key').as('key_id') },
)
