/** Every word on the screen, in English; other languages have the same shape. */
export const en = {
  root: "Files",
  breadcrumbs: "Folder path",
  up: "Up one folder",
  folderOf: (name: string) => `Contents of ${name}`,
  name: "Name",
  modified: "Modified",
  size: "Size",
  actions: "Actions",
  select: (name: string) => `Select ${name}`,
  selectAll: "Select all",
  download: "Download",
  downloadFile: (name: string) => `Download ${name}`,
  refresh: "Refresh",
  filter: "Filter this folder",
  clearFilter: "Clear filter",
  items: (count: number, written: string) => (count === 1 ? "1 item" : `${written} items`),
  matches: (matching: string, all: string) => `${matching} of ${all}`,
  selected: (written: string) => `${written} selected`,
  clearSelection: "Clear selection",
  loadedNote: (written: string) => `Sorted among the ${written} loaded. There are more.`,
  loadMore: "Load more",
  loadAll: "Load all",
  stop: "Stop",
  upload: "Upload",
  uploadFolder: "Upload folder",
  uploadElsewhere: (folder: string) => `You can browse here. Uploads go to ${folder}.`,
  goThere: "Go there",
  dropHere: (folder: string) => `Drop to upload to ${folder}`,
  noDropHere: (folder: string) => `Uploads go to ${folder}, not here`,
  loading: "Loading…",
  withoutScript:
    "Opening folders, downloading and uploading need JavaScript, which is switched off in this browser.",
  dismiss: "Dismiss",
  downloadFailed: (name: string, why: string) => `${name} was not downloaded. ${why}`,
  problems: {
    offline: "You are offline: try again when there is a connection.",
    unreachable: "The connection was interrupted: try again in a moment.",
    unavailable: "The files are not available right now: try again in a moment.",
    denied: "You have no access to it.",
    not_found: "It is no longer there.",
    session_ended: "Your session has ended: reload the page, or sign in again.",
    cors_blocked: "The file store does not let this page read it: tell whoever runs this page.",
    store_refused: "The file store is not working right now: tell whoever runs this page.",
    bad_name: "This file name is not supported.",
    failed: "The file store did not send it. It may be gone: refresh, then try again.",
  },
  renewing: "Renewing your session…",
  retry: "Try again",
  requestId: (id: string) => `Request ${id}`,
  retryNow: "Try now",
  retryIn: (written: string) => `Trying again in ${written} s`,

  states: {
    empty: { title: "This folder is empty", text: "Files that are added to it will be listed here." },
    emptyUpload: {
      title: "Nothing here yet",
      text: "Drop files or folders here, or choose them from your device.",
    },
    noMatch: {
      title: (filter: string) => `Nothing matches “${filter}”`,
      text: "Check the spelling, or clear the filter to see the whole folder.",
      more: "Only what is loaded is searched, and there is more to load.",
    },
    notRenewed: {
      title: "Your session has timed out",
      text: "The page around these files has not renewed it yet. Your place and your uploads are kept.",
    },
    session_ended: {
      title: "Your session has ended",
      text: "Reload the page, or sign in again, to continue.",
    },
    offline: {
      title: "You are offline",
      text: "The files reload by themselves as soon as there is a connection.",
    },
    unreachable: {
      title: "The files cannot be reached",
      text: "The connection was interrupted. We keep trying.",
    },
    unavailable: {
      title: "The files are not available right now",
      text: "The place where they are kept is not responding. Nothing is lost, and we keep trying.",
    },
    denied: {
      title: "You have no access to this folder",
      text: "Ask whoever gave you access to these files to include it.",
    },
    not_found: {
      title: "These files are no longer here",
      text: "The place they were kept in does not exist. Whoever runs this page can fix it.",
    },
    failed: {
      title: "Something went wrong",
      text: "This is not your fault. Try again, and if it keeps happening, tell whoever runs this page.",
    },
  },

  uploads: {
    title: (done: number, total: number) =>
      done === total
        ? total === 1
          ? "1 upload finished"
          : `${total} uploads finished`
        : total === 1
          ? "Uploading 1 file"
          : `Uploading ${done} of ${total} files`,
    attention: (count: number) =>
      count === 1 ? "1 upload needs attention" : `${count} uploads need attention`,
    region: "Uploads",
    of: "of",
    waiting: "Waiting",
    starting: "Starting…",
    checking: "Checking what has already arrived…",
    retrying: "Interrupted. Trying again…",
    paused: (progress: string) => `Paused at ${progress}`,
    interrupted: (progress: string) => `Interrupted at ${progress}. Choose the file again to continue.`,
    finishing: "Finishing…",
    cancelled: "Cancelled",
    cancel: (name: string) => `Cancel upload of ${name}`,
    remove: (name: string) => `Remove ${name} from the list`,
    retry: "Retry",
    retryName: (name: string) => `Retry upload of ${name}`,
    pause: "Pause",
    pauseName: (name: string) => `Pause upload of ${name}`,
    resume: "Resume",
    resumeName: (name: string) => `Resume upload of ${name}`,
    chooseAgain: "Choose file",
    chooseAgainName: (name: string) => `Choose ${name} again to continue its upload`,
    discard: (name: string) => `Discard what has arrived of ${name}`,
    pauseAll: "Pause all",
    resumeAll: "Resume all",
    retryAll: "Retry all",
    cancelAll: "Cancel all",
    perSecond: (size: string) => `${size}/s`,
    timeLeft: (duration: string) => `${duration} left`,
    moreWaiting: (count: number, written: string) =>
      count === 1 ? "1 more waiting" : `${written} more waiting`,
    moreDone: (count: number, written: string) =>
      count === 1 ? "1 more finished" : `${written} more finished`,
    notStarted:
      "The upload could not be started. Check your connection, then try again; if that does not help, reload the page.",
    nothingFound: "There are no files to upload in that folder.",
    notAllRead:
      "Some of it could not be read, so it is not being uploaded. Check that it is still there, then try again.",
    clear: "Clear finished",
    collapse: "Show less",
    expand: "Show uploads",
    conflict: "A file of this name is already here.",
    replace: "Replace",
    keepBoth: "Keep both",
    skip: "Skip",
    forAll: (count: number) => `For all ${count}`,
    tooLarge: (most: string) => `Too large: a file can have up to ${most}.`,
    typeNotAllowed: (types: string) => `This type may not be uploaded here${types && `, only ${types}`}.`,
    problems: {
      offline: "You are offline. It continues by itself when you are back online.",
      damaged: "It was damaged on its way, again and again. Try another network.",
      unreadable: "The file was changed, moved or deleted since you chose it. Choose it again.",
      different_file: "That is not the same file. Choose the one that was being uploaded.",
      elsewhere: "It is being uploaded in another tab or window.",
      refused: "This page does not accept this file.",
      unanswered: "This page did not say in time whether it accepts this file. Try again.",
      unreachable: "The connection was lost, and trying again did not help.",
      unavailable: "The place to upload to is not available right now. Try again in a moment.",
      denied: "You may not upload to this folder.",
      not_found: "The place to upload to does not exist.",
      session_ended: "Your session has ended.",
      cors_blocked:
        "The file store does not accept files from this page: tell whoever runs it. Downloads still work.",
      store_refused: "The file store is not working right now: tell whoever runs this page.",
      bad_name: "This name cannot be stored: rename the file and try again.",
      failed: "The upload failed.",
    },
  },

  downloads: {
    region: "Downloads",
    /** the archive's name, without `.zip` */
    files: (count: number, written: string) => (count === 1 ? "1 file" : `${written} files`),
    preparing: "Preparing…",
    found: (count: number, written: string) => (count === 1 ? "1 file so far" : `${written} files so far`),
    position: (done: string, all: string) => `${done} of ${all} files`,
    interrupted: "Interrupted. Trying again…",
    done: "Downloaded",
    handedOver: (written: string) => `Handed to your browser: ${written}`,
    ways: {
      memory: "It is saved when it is complete: keep this page open.",
      singly:
        "They cannot be put into one archive here, so they are saved one by one, without their folders.",
    },
    cancel: (name: string) => `Cancel download of ${name}`,
    remove: (name: string) => `Remove ${name} from the list`,
    failed: (why: string) => `The download was not completed. ${why}`,
    /** about one file of several */
    problems: {
      changed: (file: string) => `${file} was changed in the meantime: try again.`,
      not_found: (file: string) => `${file} is no longer there: try again without it.`,
      denied: (file: string) => `You have no access to ${file}: try again without it.`,
    },
  },

  preview: {
    close: "Close",
    next: "Next file",
    previous: "Previous file",
    position: (index: string, total: string) => `${index} of ${total}`,
    loading: "Loading preview…",
    none: "There is no preview for this kind of file.",
    tooLarge: (limit: string) => `Too large to preview: the limit is ${limit}.`,
    binary: "This does not look like text.",
    cut: (shown: string, all: string | null) =>
      `The first ${all === null ? shown : `${shown} of ${all}`}. Download the file to see the rest.`,
    failed: "The preview could not be loaded. Download the file to see it.",
    page: (page: string, pages: string) => `Page ${page} of ${pages}`,
  },

  announcements: {
    opened: (folder: string, items: string) => `${folder}, ${items}`,
    sorted: (column: string, direction: string) => `Sorted by ${column}, ${direction}`,
    ascending: "ascending",
    descending: "descending",
    filtered: (written: string) => `${written} match`,
    loaded: (written: string) => `${written} loaded`,
    uploaded: (count: number, name: string) => (count === 1 ? `${name} uploaded` : `${count} files uploaded`),
    downloadStarted: (name: string) => `Downloading ${name}`,
    downloadPreparing: "Preparing the download",
    downloaded: (name: string) => `${name} downloaded`,
  },
};

/** The shape of every language. */
export type Messages = typeof en;
