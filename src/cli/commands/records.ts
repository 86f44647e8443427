import { recordEndpoints } from '../../edges/management-api/operator/records.ts'
import type { Environment } from '../../edges/settings/read-settings.ts'
import { ALL_RECORDS } from '../../vocabulary/records/index.ts'
import type { AnyRecord } from '../../vocabulary/records/record.ts'
import { actionGroup } from '../action-group.ts'
import type { Command } from '../command.ts'
import { actionFor } from '../operator-action.ts'
import type { Cell } from '../print-table.ts'

/** A command for each kind of record: `turnpike payment-methods list|show|put|delete`. */
export function createRecordCommands(environment: Environment): Command[] {
  return ALL_RECORDS.map((kind) => createRecordCommand(kind)(environment))
}

function createRecordCommand(kind: AnyRecord) {
  const { list, show, put, delete: remove } = recordEndpoints(kind)
  const words = ['id']
  return actionGroup(kind.slug, {
    summary: `see and change ${kind.plural}`,
    actions: {
      list: actionFor<typeof list>(list, { show: shorten, empty: `There are no ${kind.plural}.` }),
      show: actionFor<typeof show>(show, { words, show: spaceNames }),
      put: actionFor<typeof put>(put, {
        words,
        summary: `create or replace a ${kind.noun}; a flag that is left out has its default`,
        show: spaceNames,
      }),
      delete: actionFor<typeof remove>(remove, {
        words,
        examples: [`turnpike ${kind.slug} delete ${String(kind.shape.fields.id.codec.example)}`],
        show: ({ id }) => ({ deleted: id }),
      }),
    },
  })
}

type Cells = Readonly<Record<string, Cell>>

function spaceNames(record: object): Cells {
  return Object.fromEntries(Object.entries(record).map(([name, cell]) => [name.replaceAll('_', ' '), cell]))
}

const MAX_CELL_LENGTH = 40

/** A list has a line for each record; `show` and `--json` give long texts in full. */
function shorten(record: object): Cells {
  const short = Object.entries(spaceNames(record)).map(([name, cell]) => {
    const isLong = typeof cell === 'string' && name !== 'id' && cell.length > MAX_CELL_LENGTH
    return [name, isLong ? `${cell.slice(0, MAX_CELL_LENGTH - 1)}…` : cell]
  })
  return Object.fromEntries(short)
}
