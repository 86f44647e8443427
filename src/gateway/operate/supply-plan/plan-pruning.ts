import { listSupply } from '../../../rules/catalog/build-snapshot.ts'
import { nameOfRoute } from '../models.ts'
import type { Planning, SupplyStep } from './supply-step.ts'

/**
 * The steps that take away what the document no longer names, for suppliers that asked for it. They come last, so that
 * a model never loses its old way before it has its new one.
 */
export function planPruning({ supply, document, options }: Planning): SupplyStep[] {
  if (options.keepExisting) return []
  const pruned = new Set(options.pruneSuppliers)
  const rows = listSupply(supply)
  const labels = new Set(
    document.suppliers.flatMap(({ id, credentials }) => credentials.map(({ label }) => `${id}/${label}`)),
  )
  const routes = new Set(
    document.models.flatMap(({ id, routes }) =>
      routes.map(({ supplierId }) => nameOfRoute({ modelId: id, supplierId })),
    ),
  )
  const goneCredentials = rows.credentials.filter(
    ({ supplierId, label }) => pruned.has(supplierId) && !(label && labels.has(`${supplierId}/${label}`)),
  )
  const goneRoutes = rows.routes.filter(
    (route) => pruned.has(route.supplierId) && route.enabled && !routes.has(nameOfRoute(route)),
  )
  return [
    ...goneCredentials.map(({ id, supplierId, label }): SupplyStep => {
      const name = `${supplierId}/${label ?? id}`
      return {
        change: { kind: 'credential', id: name, result: 'removed', fields: [] },
        write: (writer, actor) => writer.deleteCredential(id, actor),
      }
    }),
    ...goneRoutes.map(({ modelId, supplierId, ...settings }): SupplyStep => {
      const id = nameOfRoute({ modelId, supplierId })
      return {
        change: { kind: 'route', id, result: 'changed', fields: ['enabled'] },
        // Only switched off: a line that is gone by mistake is put back without losing what an operator had set.
        write: (writer, actor) =>
          writer.putRoute({ modelId, supplierId }, { ...settings, enabled: false }, actor),
      }
    }),
  ]
}
