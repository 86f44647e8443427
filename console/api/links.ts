import { api } from './client.ts'
import { keep } from './session.ts'
import type { InviteJoin, InviteOffer, PasswordRenewal, Session } from './wire.ts'

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
