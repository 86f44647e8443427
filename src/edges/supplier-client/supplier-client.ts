import type { CallSupplier } from '../../gateway/ports/supplier-call.ts'

/** Calls suppliers over kept-alive connections. Redirects are not followed: a credential goes only where it was sent. */
export const callSupplier: CallSupplier = ({ url, headers, body, signal }) =>
  fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual', keepalive: true })
