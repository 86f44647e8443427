import { extname } from 'node:path'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Exchange } from '../../serve/ports/exchange.ts'
import type { BuiltConsole } from './built-console.ts'
import { SAFETY_HEADERS } from './safety-headers.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** In order of preference, as the build compresses them. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

/** A file of the build, whose name changes with its content and which may therefore be kept for good. */
export async function giveAsset(exchange: Exchange, built: BuiltConsole, name: string): Promise<Response> {
  const path = built.pathOf(name)
  const type = TYPES[extname(name)]
  if (path === null || type === undefined || !(await Bun.file(path).exists())) {
    throw new GatewayError('not_found', 'The console has no such file; load the page again.')
  }
  const headers: Record<string, string> = {
    ...SAFETY_HEADERS,
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  }
  for (const { name: encoding, suffix } of ENCODINGS) {
    const file = Bun.file(path + suffix)
    if (!accepts(exchange, encoding) || !(await file.exists())) continue
    return new Response(file, { headers: { ...headers, 'content-encoding': encoding } })
  }
  return new Response(Bun.file(path), { headers })
}

/** Whether the client takes an encoding: named, and not with the weight zero. */
export function accepts({ headers }: Pick<Exchange, 'headers'>, encoding: string): boolean {
  const wanted = (headers.get('accept-encoding') ?? '').toLowerCase().split(',')
  return wanted.some((item) => {
    const [name, weight = ''] = item.split(';').map((part) => part.trim())
    return name === encoding && !/^q=0(\.0*)?$/.test(weight)
  })
}
