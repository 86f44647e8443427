import { Notifications } from '@mantine/notifications'

export function NoticesShown() {
  return <Notifications position="bottom-right" />
}
