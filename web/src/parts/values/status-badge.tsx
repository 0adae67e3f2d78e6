import { Badge } from '@mantine/core'
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  Clock,
  Info,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import classes from '../parts.module.css'

export const statusKinds = ['good', 'wait', 'warn', 'bad', 'info', 'idle'] as const
export type StatusKind = (typeof statusKinds)[number]

const lookByKind: Readonly<Record<StatusKind, { color: string; Icon: LucideIcon }>> = {
  good: { color: 'teal', Icon: CircleCheck },
  wait: { color: 'blue', Icon: Clock },
  warn: { color: 'yellow', Icon: TriangleAlert },
  bad: { color: 'red', Icon: CircleAlert },
  info: { color: 'indigo', Icon: Info },
  idle: { color: 'gray', Icon: CircleDashed },
}

/** A status by word, colour and shape, never by one of them alone. */
export function StatusBadge({ kind, label }: { kind: StatusKind; label: string }) {
  const { color, Icon } = lookByKind[kind]
  return (
    <Badge
      variant="light"
      color={color}
      radius="sm"
      tt="none"
      fw={500}
      miw="max-content"
      classNames={{ label: classes['status'] }}
      leftSection={<Icon size={12} aria-hidden />}
    >
      {label}
    </Badge>
  )
}
