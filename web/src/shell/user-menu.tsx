import { Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { BookMarked, ChevronsUpDown, CircleUser, KeyRound, LogOut, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { pathPrefix } from '../address.ts'
import { type AnswerTo, useChange } from '../api.ts'
import { ChangePassword } from '../pages/sign-in/passwords.tsx'
import { OwnSecondFactor } from '../pages/sign-in/second-factor.tsx'
import { forgetVisits } from '../parts/visits.ts'
import { viewerZone } from '../parts/values/time.tsx'
import { densities, useDensity } from '../look/density.ts'
import classes from './shell.module.css'

const schemes = ['light', 'dark', 'auto'] as const

/** Who is signed in, how the console looks, and the way out. */
export function UserMenu({ me }: { me: AnswerTo<'whoAmI'> }) {
  const { t } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [density, setDensity] = useDensity()
  const signOut = useSignOut()
  const [isChanging, setChanging] = useState(false)
  const [isProtecting, setProtecting] = useState(false)
  return (
    <>
      <Menu position="top-start" width={232} withinPortal>
        <Menu.Target>
          <UnstyledButton className={classes['user']}>
            <CircleUser size={18} strokeWidth={1.75} aria-hidden />
            <span className={classes['who']}>
              <Text size="sm" truncate component="span" display="block">
                {me.name}
              </Text>
              <Text size="xs" c="dimmed" component="span" display="block">
                {me.supplier === null
                  ? t(`shell.role.${me.role}`)
                  : `${me.supplier.name}, ${t(`suppliers.people.role.${me.role === 'viewer' ? 'viewer' : 'manager'}`)}`}
              </Text>
            </span>
            <ChevronsUpDown size={14} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Choices
            label={t('shell.scheme.label')}
            value={colorScheme}
            onChange={(value) => setColorScheme(schemes.find((scheme) => scheme === value) ?? 'auto')}
            choices={schemes.map((value) => ({ value, label: t(`shell.scheme.${value}`) }))}
          />
          <Choices
            label={t('shell.density.label')}
            value={density}
            onChange={(value) => setDensity(densities.find((one) => one === value) ?? 'normal')}
            choices={densities.map((value) => ({ value, label: t(`shell.density.${value}`) }))}
          />
          <Menu.Label>{t('shell.timesIn', { zone: viewerZone })}</Menu.Label>
          <Menu.Divider />
          <Menu.Item
            component="a"
            href={`${pathPrefix}/docs/reference`}
            leftSection={<BookMarked size={14} aria-hidden />}
          >
            {t('shell.apiReference')}
          </Menu.Item>
          {me.operatorId !== null && (me.hasPassword || me.signedInBy !== 'oidc') && (
            <Menu.Item leftSection={<KeyRound size={14} aria-hidden />} onClick={() => setChanging(true)}>
              {t('access.password.title')}
            </Menu.Item>
          )}
          {me.operatorId !== null && (
            <Menu.Item
              leftSection={<ShieldCheck size={14} aria-hidden />}
              onClick={() => setProtecting(true)}
            >
              {t('access.secondFactor.title')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<LogOut size={14} aria-hidden />} onClick={signOut}>
            {t('shell.signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isProtecting && <OwnSecondFactor me={me} onClose={() => setProtecting(false)} />}
      {isChanging && <ChangePassword me={me} onClose={() => setChanging(false)} />}
    </>
  )
}

/** A row of the menu, of which one is chosen. */
function Choices({
  label,
  value,
  onChange,
  choices,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  choices: readonly { value: string; label: string }[]
}) {
  return (
    <>
      <Menu.Label aria-hidden>{label}</Menu.Label>
      <div role="group" aria-label={label} className={classes['choices']}>
        <Menu.RadioGroup value={value} onChange={onChange}>
          {choices.map((choice) => (
            <Menu.RadioItem key={choice.value} value={choice.value} closeMenuOnClick={false}>
              {choice.label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </div>
    </>
  )
}

/** Ends the session, and forgets everything that was read in it. */
export function useSignOut(): () => void {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const change = useChange('signOut', { invalidates: [] })
  return () => {
    change.mutate(
      {},
      {
        onSuccess: () => {
          queries.clear()
          forgetVisits()
          void navigate({ to: '/sign-in' })
        },
      },
    )
  }
}
