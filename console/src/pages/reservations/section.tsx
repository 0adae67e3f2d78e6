import { Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import classes from './reservations.module.css'

/** A section of a page with its own heading. */
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

/** Label and value pairs; those without a value are left out. */
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
