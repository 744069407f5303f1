import AdminPanelSettings from '@mui/icons-material/AdminPanelSettingsOutlined'
import Album from '@mui/icons-material/AlbumOutlined'
import Article from '@mui/icons-material/ArticleOutlined'
import Backup from '@mui/icons-material/BackupOutlined'
import Balance from '@mui/icons-material/BalanceOutlined'
import Block from '@mui/icons-material/BlockOutlined'
import Campaign from '@mui/icons-material/CampaignOutlined'
import Category from '@mui/icons-material/CategoryOutlined'
import Chat from '@mui/icons-material/ChatOutlined'
import CheckCircle from '@mui/icons-material/CheckCircleOutlined'
import Delete from '@mui/icons-material/DeleteOutlined'
import Download from '@mui/icons-material/DownloadOutlined'
import ExpandLess from '@mui/icons-material/ExpandLessOutlined'
import ExpandMore from '@mui/icons-material/ExpandMoreOutlined'
import Feedback from '@mui/icons-material/FeedbackOutlined'
import Flag from '@mui/icons-material/FlagOutlined'
import Forum from '@mui/icons-material/ForumOutlined'
import Groups from '@mui/icons-material/GroupsOutlined'
import History from '@mui/icons-material/HistoryOutlined'
import Home from '@mui/icons-material/HomeOutlined'
import Inbox from '@mui/icons-material/InboxOutlined'
import Key from '@mui/icons-material/KeyOutlined'
import Label from '@mui/icons-material/LabelOutlined'
import Mail from '@mui/icons-material/MailOutlined'
import Mic from '@mui/icons-material/MicOutlined'
import MusicNote from '@mui/icons-material/MusicNoteOutlined'
import Newspaper from '@mui/icons-material/NewspaperOutlined'
import Notifications from '@mui/icons-material/NotificationsOutlined'
import Palette from '@mui/icons-material/PaletteOutlined'
import Payments from '@mui/icons-material/PaymentsOutlined'
import People from '@mui/icons-material/PeopleOutlined'
import Place from '@mui/icons-material/PlaceOutlined'
import PushPin from '@mui/icons-material/PushPinOutlined'
import QuestionAnswer from '@mui/icons-material/QuestionAnswerOutlined'
import RadioButtonUnchecked from '@mui/icons-material/RadioButtonUncheckedOutlined'
import Savings from '@mui/icons-material/SavingsOutlined'
import School from '@mui/icons-material/SchoolOutlined'
import Search from '@mui/icons-material/SearchOutlined'
import Settings from '@mui/icons-material/SettingsOutlined'
import Star from '@mui/icons-material/StarBorderOutlined'
import Tag from '@mui/icons-material/TagOutlined'
import Verified from '@mui/icons-material/VerifiedOutlined'
import Webhook from '@mui/icons-material/WebhookOutlined'
import type { SvgIconProps } from '@mui/material'

const ICONS = {
  todo: RadioButtonUnchecked,
  mail: Mail,
  appearance: Palette,
  advertising: Campaign,
  album: Album,
  answer: QuestionAnswer,
  area: Place,
  article: Article,
  audit: History,
  backup: Backup,
  category: Category,
  chat: Chat,
  delete: Delete,
  done: CheckCircle,
  empty: Inbox,
  export: Download,
  feed: Forum,
  feedback: Feedback,
  flag: Flag,
  groups: Groups,
  home: Home,
  key: Key,
  ledger: Balance,
  less: ExpandLess,
  more: ExpandMore,
  music: MusicNote,
  news: Newspaper,
  notice: Notifications,
  payin: Savings,
  payout: Payments,
  people: People,
  pin: PushPin,
  question: School,
  role: AdminPanelSettings,
  search: Search,
  settings: Settings,
  singer: Mic,
  star: Star,
  tag: Label,
  topic: Tag,
  verified: Verified,
  webhook: Webhook,
  word: Block,
}

export function Icon({ name, ...props }: SvgIconProps & { name: string }) {
  const Shape = ICONS[name as keyof typeof ICONS] ?? Inbox
  return <Shape aria-hidden {...props} />
}
