import { FlaskConical, Radio } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import classes from './environment-badge.module.css'

/** Sandbox and production differ in word, colour, form and sign: nobody may take one for the other. */
export function EnvironmentBadge({ environment }: { environment: 'sandbox' | 'production' }) {
  const { t } = useTranslation()
  const Icon = environment === 'production' ? Radio : FlaskConical
  return (
    <span
      className={classes['badge']}
      data-environment={environment}
      title={t(`shell.environmentHint.${environment}`)}
    >
      <Icon size={12} aria-hidden />
      {t(`shell.environment.${environment}`)}
    </span>
  )
}
