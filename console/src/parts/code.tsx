import { Group } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'
import classes from './code.module.css'

/** A code or id as used in requests; with `copies` (its name), there is a copy button. */
export function Code({ children, copies }: { children: string; copies?: string }) {
  const code = <code className={classes['code']}>{children}</code>
  if (copies === undefined) return code
  return (
    <Group component="span" gap={2} wrap="nowrap" display="inline-flex">
      {code}
      <CopyButton text={children} what={copies} />
    </Group>
  )
}
