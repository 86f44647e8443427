import { type QueryKey, queryOptions } from '@tanstack/react-query'
import type { ShownList } from '../../src/edges/management-api/endpoint.ts'
import { queryClient } from '../app/query-client.ts'
import { ApiError, readApiError } from './api-error.ts'
import type { Session } from './wire.ts'

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface CallOptions {
  /** Values that are null, undefined or empty are left out. */
  readonly query?: Query
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export const SESSION_KEY = ['session'] as const
const SESSION_PATH = '/console/api/session'

/**
 * Calls the gateway with whole paths (`/console/api/…`, `/operator/v1/…`). Refusals are thrown as ApiError; one that
 * says the session is over also ends it here, and the shell then leads to the sign-in page.
 */
export const api = {
  get: <T>(path: string, options: Omit<CallOptions, 'body'> = {}) => call<T>('GET', path, options),
  post: <T>(path: string, body: unknown = {}) => call<T>('POST', path, { body }),
  put: <T>(path: string, body: unknown) => call<T>('PUT', path, { body }),
  patch: <T>(path: string, body: unknown) => call<T>('PATCH', path, { body }),
  delete: <T>(path: string) => call<T>('DELETE', path, {}),
}

/** What a page asks for and keeps: one answer of the gateway, under `queryKey`. */
export function getQuery<T>(queryKey: QueryKey, path: string, query: Query = {}) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => api.get<T>(path, { query, signal }) })
}

/** The rows of a list, page after page. */
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

/** `/console/api/accounts/<account>/keys` of `/keys`. */
export function accountPath(account: string, rest: string): string {
  return `/console/api/accounts/${encodeURIComponent(account)}${rest}`
}

/** A path with its query, also for links that the browser follows itself, such as downloads. */
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
 * A new password changes the cookie, and a call that was under way with the old one is refused though the session goes
 * on. So the gateway is asked; what it says of the session is what the shell then shows.
 */
async function isStillSignedIn(): Promise<boolean> {
  return (await loadSession()).user !== null
}

async function send(method: Method, address: string, options: CallOptions): Promise<Response> {
  if (method === 'GET') return reach(address, { method, signal: options.signal ?? null })
  const token = await csrfToken()
  const response = await reach(address, mutation(method, options, token))
  if (response.status !== 403) return response
  // Signing in from another tab gives the session a new token; the old one is refused, and nothing has happened yet.
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
    throw new ApiError('The gateway gave an answer that cannot be read.', {
      status: response.status,
      code: 'unexpected_answer',
    })
  }
}

async function csrfToken(): Promise<string> {
  const known = queryClient.getQueryData<Session>(SESSION_KEY)
  return (known ?? (await loadSession())).csrf_token
}

/** Who is signed in, as the gateway sees it now. */
export async function loadSession(): Promise<Session> {
  const response = await reach(SESSION_PATH, { method: 'GET' })
  if (!response.ok) throw await readApiError(response)
  const session = (await readAnswer(response)) as Session
  queryClient.setQueryData(SESSION_KEY, session)
  return session
}
