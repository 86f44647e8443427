import type { Endpoint, HttpMethod } from '../../serve/ports/exchange.ts'

/** What is at a path: the endpoints for the methods it knows. */
export interface Resource {
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** For whoever asks with another method. */
  readonly allowed: readonly string[]
}

export interface Found {
  readonly resource: Resource
  /** Values of the parts of the path that vary; null when none does. */
  readonly params: Readonly<Record<string, string>> | null
}

interface Pattern {
  readonly segments: readonly string[]
  readonly resource: Resource
}

/** All paths of a server. A path that names all its parts comes before one with parts that vary. */
export class Resources {
  readonly #fixed = new Map<string, Found>()
  readonly #patterns: Pattern[] = []

  constructor(endpoints: readonly Endpoint[]) {
    for (const [path, those] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
      const resource = { endpoints: byMethod(those), allowed: allowedMethods(those) }
      if (VARYING.test(path)) this.#patterns.push({ segments: path.split('/'), resource })
      else this.#fixed.set(path, { resource, params: null })
    }
    this.#patterns.sort((one, other) => compareSegments(one.segments, other.segments))
  }

  find(path: string): Found | null {
    return this.#fixed.get(path) ?? this.#findVarying(path)
  }

  #findVarying(path: string): Found | null {
    const segments = path.split('/')
    for (const { segments: wanted, resource } of this.#patterns) {
      const params = match(wanted, segments)
      if (params !== null) return { resource, params }
    }
    return null
  }
}

const VARYING = /\/[:*]/

function byMethod(endpoints: readonly Endpoint[]): Map<string, Endpoint> {
  const methods = new Map<string, Endpoint>(endpoints.map((endpoint) => [endpoint.method, endpoint]))
  const get = methods.get('GET')
  if (get !== undefined) methods.set('HEAD', get)
  return methods
}

function allowedMethods(endpoints: readonly Endpoint[]): string[] {
  const methods: (HttpMethod | 'HEAD' | 'OPTIONS')[] = endpoints.map((endpoint) => endpoint.method)
  if (methods.includes('GET')) methods.push('HEAD')
  return [...methods, 'OPTIONS']
}

function match(wanted: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [place, part] of wanted.entries()) {
    if (part === '*') {
      if (segments.length <= place) return null
      params['*'] = decode(segments.slice(place).join('/'))
      return params
    }
    const segment = segments[place] ?? ''
    if (part.startsWith(':')) {
      if (segment === '') return null
      params[part.slice(1)] = decode(segment)
    } else if (part !== segment) return null
  }
  return wanted.length === segments.length ? params : null
}

/** What is named comes before what varies, and that before the rest of a path. */
function compareSegments(one: readonly string[], other: readonly string[]): number {
  for (const [place, part] of one.entries()) {
    const difference = vagueness(part) - vagueness(other[place] ?? '')
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

function vagueness(segment: string): number {
  if (segment === '*') return 2
  return segment.startsWith(':') ? 1 : 0
}

/** A path that is not valid percent-encoding names nothing, so it is left as it is and will not be found. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
