import {
  type Diagnostics,
  FindingFilter,
  Findings,
  ModelComparison,
} from '../../../manage/ports/diagnostics.ts'
import { definer, one } from '../endpoint.ts'

const define = definer<Diagnostics>()
const common = { tag: 'Suppliers', access: 'operator' } as const

/** Endpoints that call the suppliers. */
export const doctorEndpoints = [
  define({
    ...common,
    // Not GET, because it costs money: browsers and proxies may repeat a GET.
    method: 'POST',
    path: '/doctor',
    id: 'examineSupply',
    summary: 'Call every supplier once',
    description:
      'Sends a short request with each active credential. The suppliers charge for it. Also tells of sinks and alert channels that fail, and of what was lost.',
    query: FindingFilter,
    answer: one(Findings),
    handle: async (diagnostics, { query }) => ({
      data: await diagnostics.examineSupply(query.supplier),
      platform: await diagnostics.examinePlatform(),
    }),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/suppliers/:id/models',
    id: 'compareModels',
    summary: 'Compare models with the supplier',
    description:
      'Fetches the list of models from the supplier. `missing` are configured but not offered, `unpriced` are configured without a price, `unknown` are offered but not configured.',
    // The supplier is called and may fail.
    errors: [400, 401, 404, 429, 500, 502, 503, 504],
    answer: one(ModelComparison),
    handle: (diagnostics, { params }) => diagnostics.compareModels(params.id),
  }),
]
