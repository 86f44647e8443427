import { ActionIcon, Menu, type MenuProps } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export interface ActionMenuProps extends Pick<MenuProps, 'shadow'> {
  /** The subject of the actions; part of the button's accessible name. */
  readonly name: string
  /** `Menu.Item`s. */
  readonly children: ReactNode
}

/** The actions of a row. */
export function ActionMenu({ name, children, ...menu }: ActionMenuProps) {
  return (
    <Menu position="bottom-end" withinPortal {...menu}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
