import { Table, Text } from '@mantine/core'
import { describePath, type FieldChange, listChanges } from '../forms/field-changes.ts'
import { describeChange, shareOfChange } from '../text/exact-amount.ts'
import { ScrollTable } from './scroll-table.tsx'

interface ChangeTableProps {
  readonly label: string
  readonly before: unknown
  readonly after: unknown
}

/** The differences between two states, field by field, with percentages for prices. */
export function ChangeTable({ label, before, after }: ChangeTableProps) {
  const changes = listChanges(before, after)
  if (changes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No differences.
      </Text>
    )
  }
  return (
    <ScrollTable
      label={label}
      heads={['Field', 'Before', 'After']}
      verticalSpacing="xs"
      horizontalSpacing="sm"
      className="change-table"
    >
      <Table.Tbody>
        {changes.map((change) => (
          <ChangeRow key={change.path} change={change} />
        ))}
      </Table.Tbody>
    </ScrollTable>
  )
}

function ChangeRow({ change: { path, before, after } }: { readonly change: FieldChange }) {
  return (
    <Table.Tr>
      <Table.Th scope="row">{describePath(path)}</Table.Th>
      <Table.Td>{before !== undefined && <del className="change-before">{before}</del>}</Table.Td>
      <Table.Td>
        {after !== undefined && <ins className="change-after">{after}</ins>}
        <Percent path={path} before={before} after={after} />
      </Table.Td>
    </Table.Tr>
  )
}

/** Only for prices: percentages of limits or dates are useless. */
function Percent({ path, before, after }: FieldChange) {
  if (!/^(price|cost)\./.test(path) || path.includes('.when.')) return null
  if (before === undefined || after === undefined) return null
  const share = shareOfChange(before, after)
  if (share === null) return null
  return (
    <Text span size="xs" fw={600} ml={8} c={share > 0 ? 'var(--mantine-color-error)' : 'teal'}>
      {describeChange(share)}
    </Text>
  )
}
