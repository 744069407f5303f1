import { defaultDarkTheme, defaultLightTheme, type RaThemeOptions } from 'react-admin'

const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif'

const shared = (line: string, paper: string): RaThemeOptions => ({
  typography: {
    fontFamily: FONT,
    fontSize: 14,
    h4: { fontSize: '1.6rem', fontWeight: 650, letterSpacing: '-0.015em' },
    h5: { fontSize: '1.25rem', fontWeight: 650, letterSpacing: '-0.01em' },
    h6: { fontSize: '1rem', fontWeight: 650 },
    subtitle2: { fontWeight: 600 },
    button: { textTransform: 'none', fontWeight: 600 },
  },
  shape: { borderRadius: 10 },
  sidebar: { width: 232, closedWidth: 56 },
  components: {
    ...defaultLightTheme.components,
    MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' } }, defaultProps: { elevation: 0 } },
    MuiCard: { defaultProps: { variant: 'outlined' } },
    MuiAppBar: {
      styleOverrides: {
        root: { boxShadow: 'none', borderBottom: `1px solid ${line}`, backgroundImage: 'none' },
      },
    },
    MuiButton: { defaultProps: { disableElevation: true } },
    // The save bar covers the end of the form on phones, so it needs an opaque background.
    RaToolbar: { styleOverrides: { root: { backgroundColor: paper, borderTop: `1px solid ${line}` } } },
    RaTopToolbar: { styleOverrides: { root: { backgroundColor: 'transparent' } } },
    MuiTableCell: { styleOverrides: { root: { borderColor: line } } },
    MuiChip: { styleOverrides: { root: { borderRadius: 6, fontWeight: 500 } } },
    MuiTextField: { defaultProps: { variant: 'outlined', size: 'small', margin: 'dense', fullWidth: true } },
    MuiFormControl: {
      defaultProps: { variant: 'outlined', size: 'small', margin: 'dense', fullWidth: true },
    },
  },
})

export const LIGHT: RaThemeOptions = {
  ...defaultLightTheme,
  ...shared('#dfe7e5', '#ffffff'),
  palette: {
    mode: 'light',
    primary: { main: '#11695f', contrastText: '#ffffff' },
    secondary: { main: '#fbfdfc', contrastText: '#1c2b29' },
    background: { default: '#f4f7f6', paper: '#ffffff' },
    text: { primary: '#1c2b29', secondary: '#526661' },
    success: { main: '#1b6e3c' },
    warning: { main: '#8a5300' },
    error: { main: '#b3261e' },
    info: { main: '#1f5fa8' },
    divider: '#dfe7e5',
  },
}

export const DARK: RaThemeOptions = {
  ...defaultDarkTheme,
  ...shared('#26332f', '#151e1b'),
  palette: {
    mode: 'dark',
    primary: { main: '#68d3c3', contrastText: '#06201c' },
    secondary: { main: '#131b19', contrastText: '#e4eeeb' },
    background: { default: '#0e1513', paper: '#151e1b' },
    text: { primary: '#e4eeeb', secondary: '#a1b6b0' },
    success: { main: '#71d18f' },
    warning: { main: '#f0b860' },
    error: { main: '#ff9b92' },
    info: { main: '#8fc1ff' },
    divider: '#26332f',
  },
}
