import { Kbd, Modal, Stack, Switch, Table } from '@mantine/core'
import { useUser } from '../../api/session.ts'
import { useRights } from '../account.ts'
import { navigationFor } from '../shell/navigation.ts'
import { PAGE_KEYS } from './shortcut-list.ts'
import type { Shortcuts } from './use-shortcuts.ts'

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

const GENERAL: readonly (readonly [words: string, keys: readonly string[]])[] = [
  ['Go to any page', [isMac ? '⌘' : 'Ctrl', 'K']],
  ['Search this page', ['/']],
  ['Show this list', ['?']],
  ['Close a dialog', ['Esc']],
]

/** All keys that do something. */
export function Help({ isOn, turn, onClose }: Shortcuts & { readonly onClose: () => void }) {
  const { is_operator: isOperator } = useUser()
  const entries = navigationFor(isOperator, useRights()).flatMap((group) => group.entries)
  const pages = Object.entries(PAGE_KEYS).flatMap(([key, to]) => {
    const entry = entries.find(([path]) => path === to)
    return entry === undefined ? [] : [[entry[1], ['g', key]] as const]
  })
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      <Stack>
        <Table aria-label="Keyboard shortcuts">
          <Table.Tbody>
            {[...GENERAL, ...pages].map(([words, keys]) => (
              <Table.Tr key={words}>
                <Table.Th scope="row" fw={450}>
                  {words}
                </Table.Th>
                <Table.Td ta="right">
                  {keys.map((key, index) => (
                    <span key={key}>
                      {index > 0 && ' '}
                      <Kbd>{key}</Kbd>
                    </span>
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label="Use shortcuts of single keys"
          description="Turn this off if keys are pressed by accident, as by speech input. The list stays in the user menu."
          checked={isOn}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}
