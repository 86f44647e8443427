import { queryOptions, useQuery } from '@tanstack/react-query'
import { queryClient } from '../app/query-client.ts'
import { api, getQuery, loadSession, SESSION_KEY } from './client.ts'
import type {
  FactorProof,
  FactorSecret,
  InviteJoin,
  InviteOffer,
  OpenSession,
  PasswordChange,
  PasswordRenewal,
  RecoveryCodes,
  Session,
  SignedInUser,
  SignIn,
  SignUp,
} from './wire.ts'

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: loadSession,
  staleTime: 5 * 60 * 1_000,
})

/** Who is signed in. Already loaded inside the shell. */
export function useSession(): Session | undefined {
  return useQuery(sessionQuery).data
}

/** The signed-in user. Only for use inside the shell. */
export function useUser(): SignedInUser {
  const user = useSession()?.user
  if (!user) throw new Error('Sign in to see this page.')
  return user
}

export async function signIn(credentials: SignIn): Promise<Session> {
  return keep(await api.post<Session>('/console/api/sign-in', credentials))
}

export async function signUp(user: SignUp): Promise<Session> {
  return keep(await api.post<Session>('/console/api/sign-up', user))
}

export async function signOut({ everywhere }: { readonly everywhere: boolean }): Promise<void> {
  await api.post(everywhere ? '/console/api/sign-out-everywhere' : '/console/api/sign-out')
  // A reload clears all data, so that the next user of this machine cannot see it.
  window.location.assign('/console/sign-in')
}

/** Clears the cache for a new user. */
function keep(session: Session): Session {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] })
  queryClient.setQueryData(SESSION_KEY, session)
  return session
}

export const sessionsQuery = getQuery<{ data: OpenSession[] }>(['sessions'], '/console/api/sessions')

export const identity = {
  endSession: (id: string) => api.delete(`/console/api/sessions/${encodeURIComponent(id)}`),
  changePassword: (change: PasswordChange) => api.post('/console/api/password', change),
  rename: (name: string) => api.patch('/console/api/profile', { name }),
  beginTotp: () => api.post<FactorSecret>('/console/api/totp/begin'),
  confirmTotp: (code: string) => api.post<RecoveryCodes>('/console/api/totp/confirm', { code }),
  disableTotp: (proof: FactorProof) => api.post('/console/api/totp/disable', proof),
}

/** What a link offers. Its token is behind `#`, which browsers do not send. */
export function showInvite(token: string): Promise<InviteOffer> {
  return api.post<InviteOffer>('/console/api/invites/show', { token })
}

export async function acceptInvite(token: string): Promise<Session> {
  return keep(await api.post<Session>('/console/api/invites/accept', { token }))
}

export async function joinByInvite(input: InviteJoin): Promise<Session> {
  return keep(await api.post<Session>('/console/api/invites/join', input))
}

export function forgetPassword(email: string): Promise<unknown> {
  return api.post('/console/api/password/forgotten', { email })
}

export function renewPassword(renewal: PasswordRenewal): Promise<unknown> {
  return api.post('/console/api/password/renewal', renewal)
}
