import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectParent } from '../../edges/parent-link/connect-parent.ts'
import { serveWorkers } from '../../edges/parent-link/serve-workers.ts'
import { LimitsHub } from '../../edges/windows/hub.ts'
import { ParentTable } from '../../edges/windows/table/parent-table.ts'
import { createTableFile, MappedFile } from '../../edges/windows/table/table-file.ts'
import { TableLimits } from '../../edges/windows/table/table-limits.ts'
import type { SharedLimits } from '../../serve/ports/shared-limits.ts'
import type { Clock } from '../../vocabulary/clock.ts'

/** What the workers of a machine share without Redis, as their parent has it. */
export interface ParentLimits {
  /** The socket that workers connect to. */
  readonly path: string
  /** The open file that workers map into their memory. */
  readonly tableDescriptor: number
  /** Call as soon as a worker has ended. Returns whether it died while it changed the limits, so that all are lost. */
  noteEnded(nodeId: string): boolean
  /** Releases the holds of a worker that has ended. */
  releaseNode(nodeId: string): Promise<void>
  close(): void
}

const SOCKET_NAME = 'parent.sock'
// A little less than what every system accepts as a socket address.
const MOST_PATH_BYTES = 100
const RETRY_MS = 100

export function openParentLimits(dataFolder: string, clock: Clock): ParentLimits {
  const file = createTableFile(dataFolder)
  const table = new ParentTable(file)
  const hub = new LimitsHub(clock, table)
  const { path, remove } = findPlace(dataFolder)
  const noteEnded = (nodeId: string): boolean => {
    try {
      const isLost = table.emptyIfLockedBy(hub.numberOf(nodeId))
      if (isLost) hub.endGeneration()
      return isLost
    } catch {
      // Mapping a table that has grown needs a free descriptor. Until there is one, workers refuse requests.
      setTimeout(() => noteEnded(nodeId), RETRY_MS)
      return false
    }
  }
  const server = serveWorkers({ path, linkForNode: (nodeId) => hub.member(nodeId) })
  return {
    path,
    tableDescriptor: file.descriptor,
    noteEnded,
    releaseNode: async (nodeId) => {
      await hub.releaseNode(nodeId)
    },
    close: () => {
      server.close()
      remove()
      file.close()
    },
  }
}

/** The limits that a worker shares with the others; `descriptor` is the one of the table in this process. */
export async function openWorkerLimits(
  place: { readonly path: string; readonly descriptor: number },
  nodeId: string,
  clock: Clock,
): Promise<SharedLimits> {
  const link = await connectParent(place.path, nodeId)
  const file = new MappedFile(place.descriptor)
  return new TableLimits({ file, link, nodeNumber: await link.nodeNumber(), clock })
}

/** In the data folder, unless its path is too long for a socket address. */
function findPlace(dataFolder: string): { readonly path: string; remove(): void } {
  const path = join(realpathSync(dataFolder), SOCKET_NAME)
  if (Buffer.byteLength(path) <= MOST_PATH_BYTES) {
    return { path, remove: () => rmSync(path, { force: true }) }
  }
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-'))
  return { path: join(folder, SOCKET_NAME), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
