import Type from 'typebox'
import { GatewayError } from '../errors/gateway-error.ts'
import type { Contract } from '../vocabulary/runtime/contract.ts'
import type { Gateway } from './gateway.ts'
import type { Asset } from './ports/assets.ts'
import type { Exchange } from './ports/exchange.ts'

export const serveAssetContract: Contract = {
  id: 'fetchAsset',
  tag: 'Images',
  summary: 'Fetch an image by its URL',
  description: 'The URL is signed: it needs no key, and it cannot be guessed or changed.',
  access: 'public',
  parameters: [
    { name: 'expires', in: 'query', description: 'When the URL expires, in Unix seconds.' },
    { name: 'signature', in: 'query', description: 'The signature of the URL.' },
  ],
  answer: {
    description: 'The image.',
    name: null,
    schema: Type.String(),
    example: '(an image)',
    contentType: 'image/*',
  },
  errors: [404, 500, 503],
}

/** Serves an image by its URL. The URL is signed, so no key is needed. */
export async function serveAsset(
  exchange: Exchange,
  { assets, clock }: Pick<Gateway, 'assets' | 'clock'>,
): Promise<Response> {
  const asset = await assets.find(exchange.params.name ?? '', exchange.query)
  // The same answer whatever is missing, so that it does not reveal which names exist.
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
    // Browsers must show the content as an image or not at all.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  }
}
