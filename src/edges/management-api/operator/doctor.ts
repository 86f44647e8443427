import type { Diagnostics, Finding, ModelComparison } from '../../../gateway/ports/diagnostics.ts'
import type { Endpoint } from '../../../gateway/ports/exchange.ts'
import { OPERATOR_PATH } from './address.ts'
import { idOf } from './read-values.ts'

/** Questions that are put on to the suppliers. */
export function doctorEndpoints(diagnostics: Diagnostics): Endpoint[] {
  return [
    {
      // A question that costs money is no GET: browsers and proxies repeat those as they like.
      method: 'POST',
      path: `${OPERATOR_PATH}/doctor`,
      handle: async () => {
        const findings = await diagnostics.examineSupply()
        return Response.json({ data: findings.map(renderFinding) })
      },
    },
    {
      method: 'GET',
      path: `${OPERATOR_PATH}/suppliers/:id/models`,
      handle: async (exchange) =>
        Response.json(renderComparison(await diagnostics.compareModels(idOf(exchange)))),
    },
  ]
}

function renderFinding(finding: Finding) {
  return {
    supplier: finding.supplierId,
    credential_id: finding.credential?.id ?? null,
    label: finding.credential?.label ?? null,
    last_four: finding.credential?.lastFour ?? null,
    model: finding.modelId,
    format: finding.format,
    result: finding.result.replaceAll('-', '_'),
    status: finding.status,
    latency_ms: finding.latencyMs,
    hint: finding.hint,
  }
}

function renderComparison({ supplierId, ...lists }: ModelComparison) {
  return { supplier: supplierId, ...lists }
}
