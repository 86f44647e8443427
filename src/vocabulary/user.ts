import { Type } from 'typebox'
import { IssuedKey } from './api-key.ts'
import { choice, flag, id, integer, json, list, text, time } from './field.ts'
import { listQuery } from './runtime/list-query.ts'
import { shape, type Value } from './shape.ts'
import { ROLES } from './words.ts'

const LONGEST_EMAIL = 320
const email = text(LONGEST_EMAIL).example('ada@example.com')
// Longer than the password rule allows, so that the rule reports the error; bounded, because hashing takes time.
const password = text(400, { min: 0 }).example('violet-kettle-42')
const code = text(40, { min: 0 }).example('123456')
const role = choice(ROLES)

/** A user in the database. */
export const StoredUser = shape('StoredUser', {
  id: id('usr'),
  /** In normal form. */
  email,
  name: text().example('Ada'),
  passwordHash: text().nullable(),
  isOperator: flag().example(false),
  isDisabled: flag().as('disabled').example(false),
  /** Whether an operator or the OpenID Connect provider has confirmed the address. */
  isEmailVerified: flag(),
  /** `<issuer> <subject>` at the OpenID Connect provider; null without one. */
  outsideId: text().nullable(),
  /** Browsers that were remembered under an earlier generation are forgotten. */
  deviceGeneration: integer(),
  createdAtMs: time(),
})

/** A user of the console, without the password or its hash. */
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

/** What a list of users may be narrowed to. */
export const UserListQuery = shape('UserListQuery', {
  ...listQuery(['created_at', 'email', 'name']),
  isOperator: flag().note('Only operators, or only others.'),
  isDisabled: flag().as('disabled').note('Only disabled users, or only others.'),
})
export type UserListQuery = Partial<Value<typeof UserListQuery>>

/** The only answers that contain a password: one that was generated. */
export const IssuedUser = UserView.with('IssuedUser', { password: password.nullable() })
export type IssuedUser = Value<typeof IssuedUser>

export const UserCreate = shape('UserCreate', {
  email: text(LONGEST_EMAIL, { min: 3 }).example('ada@example.com'),
  name: User.fields.name.default((others: { readonly email: string }) => others.email),
  password: password
    .nullable()
    .optional()
    .note('Omitted: one is generated and shown once. null: none, for users who sign in with OpenID Connect.'),
  isOperator: User.fields.isOperator.default(false),
  accountId: id('acc').nullable().default(null).note('The user becomes a member of this account.'),
  role: role.default('owner').note('The role in that account; `owner` by default.'),
}).draft
export type UserCreate = ReturnType<(typeof UserCreate)['read']>

export const UserChange = User.pick('UserChange', ['name', 'isOperator', 'isDisabled']).with('UserChange', {
  hasSecondFactor: json<false>(Type.Literal(false), false)
    .as('totp_enabled')
    .note('Set to false to turn off the second factor of a user who lost it.'),
}).patch
export type UserChange = ReturnType<(typeof UserChange)['read']>

export const PasswordReset = shape('PasswordReset', {
  password: password.optional().note('Omitted: one is generated and shown once.'),
}).draft

export const Session = shape('StoredSession', {
  id: id('ses'),
  userId: id('usr'),
  /** A hash of the cookie's value, which is not stored. */
  tokenHash: text(),
  createdAtMs: time(),
  lastSeenAtMs: time(),
  address: text().nullable().example('203.0.113.7'),
  userAgent: text().nullable().example('Mozilla/5.0'),
})
export type Session = Value<typeof Session>

/** A session as its user sees it. */
export const SessionView = Session.without('Session', ['userId', 'tokenHash']).with('Session', {
  isCurrent: flag().as('current').note('Whether this request belongs to it.'),
})
export type SessionView = Value<typeof SessionView>

export const SessionList = shape('SessionList', { data: list(SessionView.field) })

export const SecondFactor = shape('SecondFactor', {
  userId: id('usr'),
  /** Base32. Encrypted when it is stored. */
  secret: text(),
  /** False until the user has confirmed it with a code. */
  isConfirmed: flag(),
  /** Codes of this time step and earlier ones are used. */
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

/** Proof that the signed-in user sent the request: a password or a code. */
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

/** The session state for the console page, signed in or not. */
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
    .note('Send it as `x-csrf-token` with every request that changes something.')
    .example('mP4c…'),
  allowsSignUp: flag().as('sign_up'),
  mailsPasswords: flag()
    .as('password_mail')
    .note('Whether people who forgot their password get a link by mail.'),
  outside: shape('OutsideProvider', { name: text().example('Example ID') })
    .field.nullable()
    .as('oidc')
    .note('The OpenID Connect provider.'),
  version: text().example('1.2.0'),
})
export type SessionState = Value<typeof SessionState>

/** The key of a user's playground in an account. */
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
