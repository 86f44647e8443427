/** Whether a request that names an origin comes from a page of this gateway itself. */
export function isFromOwnPage(headers: Pick<Headers, 'get'>, publicUrl: string | null): boolean {
  const origin = headers.get('origin')
  if (origin === null) return true
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return true
  const host = headers.get('host')
  const url = URL.parse(origin)
  return url !== null && host !== null && url.host === host.toLowerCase()
}
