import { Alert, Anchor, Button, Drawer, FileButton, Group, Stack, Table, Text, Textarea } from '@mantine/core'
import { IconCircleCheck, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, OPERATOR } from '../../api/operator.ts'
import type { PaymentImport } from '../../api/wire.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { ScrollTable } from '../../parts/tables/scroll-table.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatMoney, formatNumber } from '../../parts/text/format.ts'
import { readLineErrors } from './read-line-errors.ts'

const EXAMPLE = `account_id,amount,reference,note
acc_…,250,INV-2026-0001,Wire transfer
acc_…,40.5,INV-2026-0002,`

export function ImportPayments({ onClose }: { readonly onClose: () => void }) {
  const [csv, setCsv] = useState('')
  const [imported, setImported] = useState<PaymentImport | null>(null)
  const send = useAction(
    (text: string) => api.post<PaymentImport>(`${OPERATOR}/payments/import`, { csv: text }),
    {
      refreshes: [ACCOUNTS_KEY],
      onDone: setImported,
    },
  )
  const change = (text: string) => {
    setCsv(text)
    setImported(null)
    send.reset()
  }
  return (
    <Drawer opened onClose={onClose} title="Import payments" size="xl">
      <Stack>
        <Text size="sm" c="dimmed">
          Either all lines are recorded or none. Lines that were recorded before with the same reference and
          amount are skipped, so you can import the same file twice.
        </Text>
        <CodeBlock title="Example file" code={EXAMPLE} />
        <FileChoice onRead={change} />
        <Textarea
          label="Or paste CSV text"
          value={csv}
          onChange={(event) => change(event.currentTarget.value)}
          autosize
          minRows={5}
          maxRows={14}
          className="mono-input"
          spellCheck={false}
        />
        <Outcome csv={csv} error={send.error} imported={imported} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {imported === null ? 'Cancel' : 'Close'}
          </Button>
          <Button
            onClick={() => send.run(csv)}
            loading={send.isRunning}
            disabled={countPayments(csv) === 0 || imported !== null}
          >
            {importLabel(countPayments(csv))}
          </Button>
        </Group>
      </Stack>
    </Drawer>
  )
}

function countPayments(csv: string): number {
  return Math.max(csv.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').length - 1, 0)
}

function importLabel(count: number): string {
  if (count === 0) return 'Import'
  return count === 1 ? 'Import 1 payment' : `Import ${formatNumber(count)} payments`
}

function FileChoice({ onRead }: { readonly onRead: (text: string) => void }) {
  const [name, setName] = useState('')
  const read = async (file: File) => {
    setName(file.name)
    onRead(await file.text())
  }
  return (
    <Group gap="sm">
      <FileButton onChange={(file) => void (file && read(file))} accept=".csv,text/csv,text/plain">
        {(props) => (
          <Button variant="default" leftSection={<IconUpload size={16} aria-hidden />} {...props}>
            Choose a CSV file
          </Button>
        )}
      </FileButton>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
    </Group>
  )
}

interface OutcomeProps {
  readonly csv: string
  readonly error: Error | null
  readonly imported: PaymentImport | null
}

function Outcome({ csv, error, imported }: OutcomeProps) {
  if (imported !== null) {
    return (
      <Alert
        color="teal"
        icon={<IconCircleCheck size={18} aria-hidden />}
        title={`${formatNumber(imported.recorded)} recorded, ${formatMoney(imported.total)} ${CURRENCY} in total`}
        role="status"
      >
        {imported.already_recorded > 0
          ? `${formatNumber(imported.already_recorded)} were already recorded and skipped.`
          : 'Balances are updated. Tiers follow at the next full hour.'}
      </Alert>
    )
  }
  const problems = error instanceof ApiError ? readLineErrors(error.message) : null
  return problems === null ? <ErrorNotice error={error} /> : <LineProblems csv={csv} problems={problems} />
}

interface LineProblemsProps {
  readonly csv: string
  readonly problems: NonNullable<ReturnType<typeof readLineErrors>>
}

function LineProblems({ csv, problems }: LineProblemsProps) {
  const lines = csv.split(/\r\n|\r|\n/)
  return (
    <Alert color="red" title="Nothing was imported" role="alert">
      <Text size="sm" mb="xs">
        Correct these lines and import again{problems.more > 0 && `; ${problems.more} more have errors`}.
      </Text>
      <ScrollTable
        label="Lines with errors"
        heads={['Line', 'Error']}
        verticalSpacing={6}
        horizontalSpacing="xs"
      >
        <Table.Tbody>
          {problems.errors.map(({ line, message }) => (
            <Table.Tr key={line}>
              <Table.Td className="numeral" valign="top">
                {line}
              </Table.Td>
              <Table.Td>
                {message}
                <Text size="xs" className="mono" mt={2}>
                  {lines[line - 1]}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
      <Anchor component="button" type="button" size="xs" mt="xs" onClick={focusText}>
        Go to the text
      </Anchor>
    </Alert>
  )
}

function focusText(): void {
  document.querySelector<HTMLTextAreaElement>('.mono-input textarea')?.focus()
}
