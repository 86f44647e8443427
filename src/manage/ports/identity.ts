import type {
  Invite,
  InviteCreate,
  InviteJoin,
  InviteOffer,
  IssuedInvite,
  PasswordRenewal,
  StoredInvite,
  StoredReset,
} from '../../vocabulary/people/invite.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import type {
  FactorProof,
  IssuedUser,
  Member,
  MemberAdd,
  Membership,
  PasswordChange,
  SecondFactor,
  Session,
  SessionView,
  SignIn,
  SignUp,
  User,
  UserChange,
  UserCreate,
  UserListQuery,
  UserUpdate,
  UserView,
} from '../../vocabulary/user.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { Listing, Page } from './page.ts'

export interface NewUser {
  readonly user: User
  readonly passwordHash: string | null
  readonly memberships: readonly Membership[]
}

export interface Acceptance {
  readonly invite: StoredInvite
  readonly membership: Membership
  /** null: the user exists. */
  readonly newUser: NewUser | null
}

/** Invitations to accounts, and forgotten passwords. Every change is one transaction together with its audit event. */
export interface InviteStore {
  /** Also forgets those whose time was over before this one was made. */
  saveInvite(invite: StoredInvite, event: AuditEvent): Promise<void>
  /** Oldest first, those whose time is over left out. */
  listInvites(accountId: string, nowMs: number): Promise<readonly StoredInvite[]>
  findInvite(tokenHash: string): Promise<StoredInvite | null>
  /** Gives how many there were. */
  deleteInvite(which: Pick<StoredInvite, 'accountId' | 'id'>, event: AuditEvent): Promise<number>
  /** False, and without an event, when somebody else was first. Refuses a new user whose address is taken. */
  acceptInvite(acceptance: Acceptance, event: AuditEvent): Promise<boolean>

  findResetByToken(tokenHash: string): Promise<StoredReset | null>
  /** False, and without an event, when the user's one before expires later than it may to be replaced. */
  saveReset(
    save: { readonly reset: StoredReset; readonly replacesUntilMs: number },
    event: AuditEvent,
  ): Promise<boolean>
  /** Uses it up; false when it was used or replaced. */
  takeReset(reset: StoredReset): Promise<boolean>
}

/** Users, their sessions and what they may see. Every change is one transaction together with its audit event. */
export interface IdentityStore extends InviteStore {
  /** False, and without an event, when the address has a user already. */
  createUser(made: NewUser, event: AuditEvent): Promise<boolean>
  changeUser(id: string, change: UserUpdate, event: AuditEvent): Promise<void>
  findUser(id: string): Promise<User | null>
  findUserByEmail(email: string): Promise<User | null>
  findUserByOutsideId(outsideId: string): Promise<User | null>
  findPasswordHash(userId: string): Promise<string | null>
  /** Oldest first, unless the query says otherwise. */
  listUsers(page: Page, query?: UserListQuery): Promise<Listing<User>>

  /** Inserts, or replaces the role. */
  saveMembership(membership: Membership, event: AuditEvent): Promise<void>
  deleteMembership(member: Omit<Membership, 'role'>, event: AuditEvent): Promise<void>
  listMembershipsOf(userId: string): Promise<readonly Membership[]>
  listMembersOf(accountId: string): Promise<readonly Member[]>

  /** Also forgets sessions whose time was over before this one began. */
  saveSession(session: Session, event: AuditEvent): Promise<void>
  findSession(tokenHash: string): Promise<Session | null>
  /** Newest first, those whose time is over left out. */
  listSessions(userId: string, nowMs: number): Promise<readonly Session[]>
  touchSession(session: Session, lastSeenAtMs: number): Promise<void>
  /** The same session under another cookie. */
  renewSession(id: string, tokenHash: string): Promise<void>
  /**
   * Those of a user: one, all, or all but one. All or all but one also makes the user's devices unknown. Gives how many
   * there were; an event only when there were any.
   */
  endSessions(which: SessionChoice, event: AuditEvent): Promise<number>

  findSecondFactor(userId: string): Promise<SecondFactor | null>
  /** Inserts or replaces the factor and exactly its recovery codes. */
  saveSecondFactor(
    factor: SecondFactor,
    recoveryHashes: readonly string[],
    event: AuditEvent | null,
  ): Promise<void>
  deleteSecondFactor(userId: string, event: AuditEvent): Promise<void>
  /** Uses up a step; false when it or a later one was used before. */
  takeStep(userId: string, step: number): Promise<boolean>
  /** Uses up a recovery code; false when there is no such code. */
  takeRecoveryCode(userId: string, hash: string): Promise<boolean>

  /** For what is worth knowing but changes nothing. */
  writeEvent(event: AuditEvent): Promise<void>
}

export type SessionChoice =
  | { readonly userId: string; readonly only: string }
  | { readonly userId: string; readonly except: string | null }

/** A signed-in user. */
export interface Visitor {
  readonly user: User
  readonly session: Session
  readonly memberships: readonly Membership[]
}

/** Where a request comes from, as far as its sender can be believed. */
export interface ClientContext {
  readonly address: string | null
  readonly userAgent: string | null
}

/** A session with the values of its cookies, which are told only when they are new. */
export interface Entry {
  readonly visitor: Visitor
  readonly token: string
  /** Identifies the browser at the next sign-in. */
  readonly device: string
}

export interface ConsoleRequest {
  readonly method: string
  readonly headers: HeaderFields
}

/** Who stands at the door, and whether the request is their own doing. */
export interface Door {
  readonly isSecure: boolean
  findVisitor(headers: Pick<HeaderFields, 'get'>): Promise<Visitor | null>
  /** Refuses a request that changes something unless a page of this gateway has sent it. */
  requireOwnDoing(request: ConsoleRequest, visitor: Visitor | null): void
  /** What that page has to send along. Without a visitor it goes with the value of the visit cookie. */
  forgeryToken(whose: Visitor | string): string
}

/** What people do with their own identity. Every refusal is a GatewayError. */
export interface Identity {
  /**
   * The audit name of the operator who sent a request; null when no user is signed in. Refuses a user
   * who is no operator.
   */
  findOperator(request: ConsoleRequest): Promise<string | null>
  readonly door: Door
  readonly allowsSignUp: boolean
  readonly outside: OutsideSignIn | null
  /** `device` is the cookie of a browser that may have signed in before. */
  signIn(input: SignIn & { readonly device: string | null }, client: ClientContext): Promise<Entry>
  signUp(input: SignUp, client: ClientContext): Promise<Entry>
  /** Whether the gateway mails links to people who forgot their password. */
  readonly mailsPasswords: boolean
  forgetPassword(email: string, client: ClientContext): void
  renewPassword(renewal: PasswordRenewal, client: ClientContext): Promise<void>
  showInvite(token: string, client: ClientContext): Promise<InviteOffer>
  acceptInvite(
    accepted: { readonly token: string; readonly visitor: Visitor },
    client: ClientContext,
  ): Promise<Visitor>
  joinByInvite(input: InviteJoin, client: ClientContext): Promise<Entry>
  signOut(visitor: Visitor): Promise<void>
  signOutEverywhere(visitor: Visitor): Promise<void>
  listSessions(visitor: Visitor): Promise<readonly SessionView[]>
  endSession(visitor: Visitor, sessionId: string): Promise<void>
  rename(visitor: Visitor, name: string): Promise<Visitor>
  /** Ends every other session, and gives this one another cookie. */
  changePassword(visitor: Visitor, change: PasswordChange): Promise<Entry>
  beginSecondFactor(visitor: Visitor): Promise<{ readonly secret: string; readonly uri: string }>
  confirmSecondFactor(
    visitor: Visitor,
    code: string,
  ): Promise<{ readonly entry: Entry; readonly recoveryCodes: readonly string[] }>
  disableSecondFactor(visitor: Visitor, proof: FactorProof): Promise<Entry>
}

/** What operators do with users, and owners with the members of their accounts. */
export interface UserOperations {
  listUsers(page: Page, query?: UserListQuery): Promise<Listing<UserView>>
  createUser(input: UserCreate, actor: string): Promise<IssuedUser>
  changeUser(id: string, change: UserChange, actor: string): Promise<UserView>
  /** Ends all sessions of the user. Without a password one is made. */
  resetPassword(id: string, password: string | undefined, actor: string): Promise<IssuedUser>
  listMembers(accountId: string): Promise<readonly Member[]>
  /** Adding a member again changes their role. */
  addMember(accountId: string, member: MemberAdd, actor: string): Promise<Member>
  removeMember(accountId: string, userId: string, actor: string): Promise<void>
  /** Those that are open. */
  listInvites(accountId: string): Promise<readonly Invite[]>
  createInvite(input: InviteCreate & { readonly accountId: string }, by: Visitor): Promise<IssuedInvite>
  revokeInvite(which: Pick<StoredInvite, 'accountId' | 'id'>, actor: string): Promise<void>
}

/** The audit name of a signed-in user. */
export function actorOfUser({ email }: User): string {
  return `user:${email}`
}

/** How a sign-in at another provider can go wrong; the sign-in page has words for each. */
export const OUTSIDE_FAILURES = [
  'oidc_failed',
  'oidc_cancelled',
  'oidc_email_unverified',
  'oidc_email_in_use',
  'oidc_no_account',
  'oidc_disabled',
] as const
export type OutsideFailure = (typeof OUTSIDE_FAILURES)[number]

/** A user as described by an identity provider. */
export interface OutsideIdentity {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly isEmailVerified: boolean
  readonly name: string | null
}

/** What must be known again when the user comes back from the provider. */
export interface OutsideFlow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly callbackUrl: string
}

/** A provider of identities elsewhere. Throws when it cannot be reached, or when what comes back is not to be believed. */
export interface OutsideProvider {
  readonly name: string
  begin(callbackUrl: string): Promise<{ readonly url: string; readonly flow: OutsideFlow }>
  finish(query: string, flow: OutsideFlow): Promise<OutsideIdentity>
}

export interface OutsideSignIn {
  readonly name: string
  /** Where to send the browser, and a sealed text to give back when it returns. */
  begin(callbackUrl: string): Promise<{ readonly url: string; readonly ticket: string } | OutsideFailure>
  finish(
    returned: { readonly query: URLSearchParams; readonly ticket: string | null },
    client: ClientContext,
  ): Promise<Entry | OutsideFailure>
}
