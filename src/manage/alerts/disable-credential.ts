import type { LiveConfiguration } from '../../serve/ports/configuration.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { LocalOperations } from '../operations/parts.ts'
import type { AlertWatch } from './alert-watch.ts'
import { credentialNotice } from './write-notice.ts'

export interface DisablingParts {
  readonly operations: Pick<LocalOperations, 'disableRefused'>
  readonly configuration: Pick<LiveConfiguration, 'current'>
  readonly watch: Pick<AlertWatch, 'note'>
  readonly clock: Clock
  readonly log: Log
}

interface RefusedCredential {
  readonly supplierId: string
  readonly credentialId: string
}

const ACTOR = 'routing'

/**
 * Disables a credential that its supplier refused; only an operator can enable it again. Many requests may notice at the
 * same time, on any node; the first one disables it and raises the only alert.
 */
export function credentialDisabler(parts: DisablingParts): (refused: RefusedCredential) => void {
  const underWay = new Set<string>()
  return (refused) => {
    const { credentialId } = refused
    if (underWay.has(credentialId)) return
    underWay.add(credentialId)
    disable(parts, refused)
      .catch((error) => parts.log.trouble(`credential ${credentialId} could not be disabled`, error))
      .finally(() => underWay.delete(credentialId))
  }
}

async function disable(
  parts: DisablingParts,
  { supplierId, credentialId }: RefusedCredential,
): Promise<void> {
  const { operations, configuration, watch, clock, log } = parts
  const { suppliers, credentialsBySupplier } = configuration.current().supply
  const supplier = suppliers.get(supplierId)
  const credential = credentialsBySupplier.get(supplierId)?.find(({ id }) => id === credentialId)
  if (supplier === undefined || credential?.state !== 'active') return
  if (!(await operations.disableRefused(credential, ACTOR))) return
  log.notice('a credential was refused and is disabled', { supplierId, credentialId })
  watch.note(credentialNotice(credential, supplier, clock.nowMs()))
}
