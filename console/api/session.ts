import { queryOptions, useQuery } from '@tanstack/react-query'
import { queryClient } from '../app/query-client.ts'
import { api, loadSession } from './client.ts'
import { SESSION_KEY, type Session, type User } from './session-shape.ts'

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
export function useUser(): User {
  const user = useSession()?.user
  if (!user) throw new Error('This part is only for users who are signed in.')
  return user
}

export interface Credentials {
  readonly email: string
  readonly password: string
  readonly code?: string
}

export async function signIn(credentials: Credentials): Promise<Session> {
  return keep(await api.post<Session>('/console/api/sign-in', credentials))
}

export interface NewUser {
  readonly email: string
  readonly password: string
  readonly name: string
}

export async function signUp(user: NewUser): Promise<Session> {
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

export interface OpenSession {
  readonly id: string
  readonly created_at: string
  readonly last_seen_at: string
  readonly address: string | null
  readonly user_agent: string | null
  readonly current: boolean
}

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api.get<{ data: OpenSession[] }>('/console/api/sessions', { signal }),
})

export interface TotpStart {
  readonly secret: string
  readonly uri: string
  readonly qr_svg: string
}

export const identity = {
  endSession: (id: string) => api.delete(`/console/api/sessions/${encodeURIComponent(id)}`),
  changePassword: (change: { readonly current: string; readonly new: string }) =>
    api.post('/console/api/password', change),
  rename: (name: string) => api.patch('/console/api/profile', { name }),
  beginTotp: () => api.post<TotpStart>('/console/api/totp/begin'),
  confirmTotp: (code: string) =>
    api.post<{ recovery_codes: string[] }>('/console/api/totp/confirm', { code }),
  disableTotp: (proof: { readonly password: string } | { readonly code: string }) =>
    api.post('/console/api/totp/disable', proof),
}
