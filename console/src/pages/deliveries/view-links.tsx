import { Group } from '@mantine/core'
import { ButtonTo } from '../../parts/link-to.tsx'

/** The views of a page as links, so that each has its own address. The first one is the default. */
export function ViewLinks<View extends string>({
  name,
  label,
  views,
  current,
}: {
  /** The name of the URL parameter. */
  name: string
  label: string
  views: readonly { value: View; label: string }[]
  current: View
}) {
  return (
    <Group component="nav" aria-label={label} gap={4} mb="sm">
      {views.map(({ value, label: text }, index) => (
        <ButtonTo
          key={value}
          to="."
          search={(before: Readonly<Record<string, string | undefined>>) => ({
            ...before,
            [name]: index === 0 ? undefined : value,
          })}
          variant={value === current ? 'light' : 'default'}
          aria-current={value === current ? 'page' : undefined}
        >
          {text}
        </ButtonTo>
      ))}
    </Group>
  )
}
