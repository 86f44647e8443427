import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { Profiling } from '../../../../manage/ports/profiling.ts'
import { choice, integer } from '../../../../vocabulary/field.ts'
import { definer, raw } from '../../endpoint.ts'

const define = definer<Profiling>()
const common = {
  tag: 'Service',
  access: 'operator',
  // Not GET, because browsers and proxies may repeat a GET.
  method: 'POST',
  errors: [400, 401, 403, 429, 500, 503],
} as const

const MAX_SECONDS = 60
const USUAL_SECONDS = 10
const CONFIRMATION = 'contains-secrets'

/** What an operator who looks for a fault takes from the running process. Off, unless a setting allows it. */
export const profileEndpoints = [
  define({
    ...common,
    path: '/debug/cpu-profile',
    id: 'takeCpuProfile',
    summary: 'Take a CPU profile',
    description: 'Of the process that answers, in the format of Chrome DevTools (`.cpuprofile`).',
    query: {
      seconds: integer({ min: 1, max: MAX_SECONDS }).note(`How long; ${USUAL_SECONDS} by default.`),
    },
    answer: raw({ description: 'The profile.', contentType: 'application/json', example: '{"nodes":[]}' }),
    handle: async (profiling, { query, actor }) => {
      const profile = await profiling.takeCpuProfile(query.seconds ?? USUAL_SECONDS, actor)
      return fileOf(profile, 'cpu.cpuprofile')
    },
  }),
  define({
    ...common,
    path: '/debug/heap-snapshot',
    id: 'takeHeapSnapshot',
    summary: 'Take a heap snapshot',
    description:
      'Everything in the memory of the process that answers, secrets and requests of customers included, in the format of Chrome DevTools (`.heapsnapshot`). The process does nothing else meanwhile.',
    query: { confirm: choice([CONFIRMATION]).note('Required: that you know what the file contains.') },
    answer: raw({ description: 'The snapshot.', contentType: 'application/json', example: '{"nodes":[]}' }),
    handle: async (profiling, { query, actor }) => {
      if (query.confirm !== CONFIRMATION) {
        throw new GatewayError(
          'invalid_request',
          `A heap snapshot contains secrets and requests of customers. Add ?confirm=${CONFIRMATION}, keep the file safe, and delete it soon.`,
          { param: 'confirm' },
        )
      }
      return fileOf(await profiling.takeHeapSnapshot(actor), 'heap.heapsnapshot')
    },
  }),
]

function fileOf(content: string | ArrayBuffer, name: string): Response {
  return new Response(content, {
    headers: {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="turnpike-${name}"`,
      'cache-control': 'no-store',
    },
  })
}
