import { queryOptions, useQuery } from '@tanstack/react-query'
import { queryClient } from '../app/query-client.ts'
import { api, getQuery, loadSession, SESSION_KEY } from './client.ts'
import type {
  FactorProof,
  FactorSecret,
  OpenSession,
  PasswordChange,
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

/** Who is signed in. Inside the shell it is always there already. */
export function useSession(): Session | undefined {
  return useQuery(sessionQuery).data
}

/** The signed-in user; only for what the shell shows, which it does for nobody else. */
export function useUser(): SignedInUser {
  const user = useSession()?.user
  if (!user) throw new Error('This part is only for users who are signed in.')
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
  // A page loaded anew remembers nothing: what one user saw must not be seen by the next one at this machine.
  window.location.assign('/console/sign-in')
}

/** A new user starts with an empty memory of what was asked before. */
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
