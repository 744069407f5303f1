import { Badge, Box, ListSubheader, Skeleton } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Menu, MenuItemLink, useSidebarState } from 'react-admin'
import { myAbilities } from '../api/auth-provider.ts'
import { useWaiting } from '../home/waiting.ts'
import { Icon } from './icon.tsx'
import { entriesFor } from './navigation.ts'
import { useText } from './text.ts'

/** The menu: what one's abilities open, and how much waits. */
export function ConsoleMenu() {
  const t = useText()
  const [open] = useSidebarState()
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const { waiting } = useWaiting()
  if (!mine) return <Skeleton variant="rounded" sx={{ m: 1, height: 320, width: open ? 200 : 40 }} />
  return (
    <Box component="nav" aria-label={t(['Areas', '功能'])}>
      <Menu
        dense
        sx={{
          pb: 6,
          width: open ? 232 : 56,
          '& .RaMenuItemLink-active': { bgcolor: 'action.selected', fontWeight: 600, borderRadius: 2 },
          '& .MuiMenuItem-root': { fontSize: 14, minHeight: 34 },
        }}
      >
        {entriesFor(mine).map(({ label, entries }) => [
          label && open ? (
            <ListSubheader
              key={`section ${label[0]}`}
              role="presentation"
              disableSticky
              sx={{
                bgcolor: 'transparent',
                lineHeight: '2rem',
                mt: 1,
                fontSize: 12,
                fontWeight: 650,
                color: 'text.secondary',
              }}
            >
              {t(label)}
            </ListSubheader>
          ) : null,
          ...entries.map(({ to, label, icon, queue }) => {
            const count = waiting?.get(queue ?? '')?.count ?? 0
            return (
              <MenuItemLink
                key={to}
                to={to}
                primaryText={
                  <Box component="span" sx={{ display: 'flex', alignItems: 'center', width: '100%' }}>
                    <Box component="span" sx={{ flex: 1, overflow: 'hidden', textOverflow: 'ellipsis' }}>
                      {t(label)}
                    </Box>
                    {count > 0 && (
                      <Box
                        component="span"
                        sx={{ fontSize: 12, fontWeight: 650, color: 'primary.main', pl: 1 }}
                      >
                        {count > 999 ? '999+' : count}
                      </Box>
                    )}
                  </Box>
                }
                leftIcon={
                  open || count === 0 ? (
                    <Icon name={icon} fontSize="small" />
                  ) : (
                    <Badge variant="dot" color="primary">
                      <Icon name={icon} fontSize="small" />
                    </Badge>
                  )
                }
              />
            )
          }),
        ])}
      </Menu>
    </Box>
  )
}
