import { Box, type Theme, Typography, useMediaQuery } from '@mui/material'
import type { ReactNode } from 'react'
import {
  AppBar,
  Layout,
  LocalesMenuButton,
  TitlePortal,
  ToggleThemeButton,
  UserMenu,
  useGetIdentity,
} from 'react-admin'
import mark from '../mark.svg'
import { ConsoleMenu } from './menu.tsx'

function ConsoleBar() {
  const { data: identity } = useGetIdentity()
  // On a telephone there is the picture only, and a name is no label for what opens a menu.
  const isNamed = useMediaQuery<Theme>((theme) => theme.breakpoints.up('sm'))
  return (
    <AppBar
      userMenu={<UserMenu label={(isNamed && identity?.fullName) || 'ra.auth.user_menu'} />}
      color="secondary"
      toolbar={
        <>
          <LocalesMenuButton />
          <ToggleThemeButton />
        </>
      }
    >
      <Box component="img" src={mark} alt="" sx={{ width: 24, height: 24, mr: 1 }} />
      <Typography component="span" sx={{ fontWeight: 700, mr: 2, display: { xs: 'none', sm: 'inline' } }}>
        Kith
      </Typography>
      <TitlePortal
        variant="body2"
        color="textSecondary"
        sx={{ '& .RaConfigurable-root': { display: 'inline' } }}
      />
    </AppBar>
  )
}

/** The frame of every page. */
export function ConsoleLayout({ children }: { children: ReactNode }) {
  return (
    <Layout
      appBar={ConsoleBar}
      menu={ConsoleMenu}
      sx={{
        minWidth: 0,
        '& .RaLayout-content': { px: { xs: 1.5, md: 3 }, minWidth: 0 },
        '& .RaLayout-appFrame': { minWidth: 0 },
      }}
    >
      {children}
    </Layout>
  )
}
