import { type QueryKey, queryOptions } from '@tanstack/react-query'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import { queryClient } from '../app/query-client.ts'
import { ApiError, readApiError } from './api-error.ts'
import type { Session } from './wire.ts'

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface CallOptions {
  /** Null, undefined and empty values are omitted. */
  readonly query?: Query
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export const SESSION_KEY = ['session'] as const
const SESSION_PATH = '/console/api/session'

/**
 * Calls the gateway with full paths (`/console/api/…`, `/operator/v1/…`). Error responses are thrown as ApiError. If
 * the session has ended, it also ends here, and the shell goes to the sign-in page.
 */
export const api = {
  get: <T>(path: string, options: Omit<CallOptions, 'body'> = {}) => call<T>('GET', path, options),
  post: <T>(path: string, body: unknown = {}) => call<T>('POST', path, { body }),
  put: <T>(path: string, body: unknown) => call<T>('PUT', path, { body }),
  patch: <T>(path: string, body: unknown) => call<T>('PATCH', path, { body }),
  delete: <T>(path: string) => call<T>('DELETE', path, {}),
}

/** A query for one response of the gateway, cached under `queryKey`. */
export function getQuery<T>(queryKey: QueryKey, path: string, query: Query = {}) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => api.get<T>(path, { query, signal }) })
}

/** A query for the rows of a list, page by page. */
export async function readPages<T>(
  path: string,
  { query, signal }: CallOptions,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const rows: T[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page += 1) {
    const answer: ShownList<T> = await api.get(path, { query: { ...query, cursor }, signal })
    rows.push(...answer.data)
    cursor = answer.next_cursor ?? null
    if (cursor === null) break
  }
  return rows
}

/** `/keys` → `/console/api/accounts/<account>/keys`. */
export function accountPath(account: string, rest: string): string {
  return `/console/api/accounts/${encodeURIComponent(account)}${rest}`
}

/** A path with its query string, also for links such as downloads. */
export function withQuery(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

async function call<T>(method: Method, path: string, options: CallOptions): Promise<T> {
  const address = withQuery(path, options.query)
  const response = await send(method, address, options)
  if (response.ok) return (await readAnswer(response)) as T
  const error = await readApiError(response)
  if (error.code !== 'auth_required' || !(await isStillSignedIn())) throw error
  const again = await send(method, address, options)
  if (again.ok) return (await readAnswer(again)) as T
  throw await readApiError(again)
}

/**
 * A new password changes the cookie. A call already running with the old one is refused, although the session is still
 * valid. So ask the gateway for the current session.
 */
async function isStillSignedIn(): Promise<boolean> {
  return (await loadSession()).user !== null
}

async function send(method: Method, address: string, options: CallOptions): Promise<Response> {
  if (method === 'GET') return reach(address, { method, signal: options.signal ?? null })
  const token = await csrfToken()
  const response = await reach(address, mutation(method, options, token))
  if (response.status !== 403) return response
  // Signing in from another tab changes the token. The gateway refused the old one before doing anything, so retry.
  const fresh = await loadSession()
  return fresh.csrf_token === token ? response : reach(address, mutation(method, options, fresh.csrf_token))
}

function mutation(method: Method, { body }: CallOptions, token: string): RequestInit {
  const headers: Record<string, string> = { 'x-csrf-token': token }
  if (body === undefined) return { method, headers }
  headers['content-type'] = 'application/json'
  return { method, headers, body: JSON.stringify(body) }
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, credentials: 'same-origin' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError('The gateway could not be reached. Check your connection and try again.')
  }
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('The gateway returned an unreadable response.', {
      status: response.status,
      code: 'unexpected_answer',
    })
  }
}

async function csrfToken(): Promise<string> {
  const known = queryClient.getQueryData<Session>(SESSION_KEY)
  return (known ?? (await loadSession())).csrf_token
}

/** Asks the gateway who is signed in. */
export async function loadSession(): Promise<Session> {
  const response = await reach(SESSION_PATH, { method: 'GET' })
  if (!response.ok) throw await readApiError(response)
  const session = (await readAnswer(response)) as Session
  queryClient.setQueryData(SESSION_KEY, session)
  return session
}
