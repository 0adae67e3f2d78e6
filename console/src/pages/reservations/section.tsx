import { Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import classes from './reservations.module.css'

/** A part of a page under a heading of its own. */
export function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes['section']}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {hint !== undefined && <p className={classes['hint']}>{hint}</p>}
      {children}
    </section>
  )
}

/** Facts as pairs; those without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes['facts']}>
      {facts.map(([name, value]) =>
        value === undefined || value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
