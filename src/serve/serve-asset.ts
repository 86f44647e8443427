import Type from 'typebox'
import { GatewayError } from '../errors/gateway-error.ts'
import type { Contract } from '../vocabulary/runtime/contract.ts'
import type { Gateway } from './gateway.ts'
import type { Asset } from './ports/assets.ts'
import type { Exchange } from './ports/exchange.ts'

export const serveAssetContract: Contract = {
  id: 'fetchAsset',
  tag: 'Images',
  summary: 'Fetch a picture by the address it was given out under',
  description: 'The address is the permission: no key is needed, and it cannot be made up or changed.',
  access: 'public',
  parameters: [
    { name: 'expires', in: 'query', description: 'When it ends, in Unix seconds.' },
    { name: 'signature', in: 'query', description: 'As it was given out.' },
  ],
  answer: {
    description: 'The picture.',
    name: null,
    schema: Type.String(),
    example: '(a picture)',
    contentType: 'image/*',
  },
  errors: [404, 500, 503],
}

/** Hands out a picture by its address. The address is the permission, so no key is asked for. */
export async function serveAsset(
  exchange: Exchange,
  { assets, clock }: Pick<Gateway, 'assets' | 'clock'>,
): Promise<Response> {
  const asset = await assets.find(exchange.params.name ?? '', exchange.query)
  // One answer for all that is not there, so that nobody learns which names exist.
  if (asset === null)
    throw new GatewayError('not_found', 'There is nothing at this address, or not any more.')
  const headers = headersOf(asset, clock.nowMs())
  if (exchange.method !== 'HEAD') return new Response(asset.content, { headers })
  if (!(asset.content instanceof Blob)) await asset.content.cancel()
  return new Response(null, { headers })
}

function headersOf({ mediaType, bytes, expiresAtMs }: Asset, nowMs: number): Record<string, string> {
  const secondsLeft = Math.max(0, Math.floor((expiresAtMs - nowMs) / 1_000))
  return {
    'content-type': mediaType,
    'content-length': String(bytes),
    'content-disposition': 'inline',
    'cache-control': `private, max-age=${secondsLeft}, immutable`,
    // Whatever a supplier made is shown as a picture or not at all.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  }
}
