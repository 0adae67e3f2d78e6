import { minuteMs } from '../base/calendar.ts'
import { readIssuer, readKeys } from './config-values.ts'
import { operatorRoles } from '../http/route.ts'
import { defaultSignInRules, signInMinutes, type SignInRules } from '../operators/sign-in-rules.ts'
import { anyText, inProduction, integer, oneOf, setting, text, yesOrNo } from './setting.ts'

/** The part of the table of settings (settings.ts) that is about signing in to the console. */

const byEnvironment = (shown: (rules: SignInRules) => number | boolean): string =>
  inProduction(shown(defaultSignInRules.production), shown(defaultSignInRules.sandbox))

export const consoleSettings = {
  oidcIssuer: setting(
    'ARI_OIDC_ISSUER',
    text(readIssuer),
    undefined,
    "OpenID provider for operators' sign-in, such as `https://login.example.com/realms/staff`; needs `ARI_PUBLIC_URL`",
    { example: 'https://login.example.com/realms/staff', roles: ['console'] },
  ),
  oidcClientId: setting('ARI_OIDC_CLIENT_ID', anyText, undefined, "The service's client id at the provider", {
    example: 'ari',
    roles: ['console'],
  }),
  oidcClientSecret: setting(
    'ARI_OIDC_CLIENT_SECRET',
    anyText,
    undefined,
    "The service's client secret at the provider",
    { otherwise: 'none: a public client', isSecret: true, roles: ['console'] },
  ),
  newcomerRole: setting(
    'ARI_OIDC_NEWCOMER_ROLE',
    oneOf(operatorRoles),
    undefined,
    'Role of people whom the provider knows, but no admin has added: `viewer`, `operator` or `admin`',
    { otherwise: 'none: they are turned away', example: 'viewer', roles: ['console'] },
  ),
  requiresSecondFactor: setting(
    'ARI_REQUIRE_MFA',
    yesOrNo,
    undefined,
    'Whether operators who sign in by password or link must have a second factor; with OpenID, that is up to the provider',
    {
      otherwise: byEnvironment((rules) => rules.requiresSecondFactor),
      example: 'true',
      roles: ['console'],
    },
  ),
  mfaKeys: setting(
    'ARI_MFA_KEY',
    text(readKeys),
    [],
    '32 random bytes (`openssl rand -base64 32`) that encrypt the secrets of second factors; to change it, put the new key in front of the old one, with a comma',
    { otherwise: 'none: not encrypted', isSecret: true, roles: ['console'] },
  ),
  sandboxSignUp: setting(
    'ARI_SANDBOX_SIGNUP',
    yesOrNo,
    false,
    "In the sandbox: whether suppliers' developers can [create an account themselves](#accounts-that-developers-make-themselves); needs `ARI_SMTP_URL`, `ARI_MAIL_FROM` and `ARI_PUBLIC_URL`",
    { otherwise: '`false`', example: 'false', roles: ['console'] },
  ),
  lockOutMinutes: setting(
    'ARI_LOCK_OUT_MINUTES',
    integer(signInMinutes.lockOut.min, signInMinutes.lockOut.max),
    undefined,
    'Minutes for which a name is locked after ten wrong passwords; also the longest wait after fewer; 1 to 1440',
    {
      otherwise: byEnvironment((rules) => rules.lockOutMs / minuteMs),
      example: '30',
      roles: ['console'],
    },
  ),
  sessionIdleMinutes: setting(
    'ARI_SESSION_IDLE_MINUTES',
    integer(signInMinutes.idle.min, signInMinutes.idle.max),
    undefined,
    'Minutes without a request after which a console session ends; 1 to 720',
    {
      otherwise: byEnvironment((rules) => rules.idleEndsAfterMs / minuteMs),
      example: '15',
      roles: ['console'],
    },
  ),
}
