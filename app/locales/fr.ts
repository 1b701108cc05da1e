import type { Messages } from "./en";

/** Every word on the screen, in French. No-break spaces stand before the punctuation that needs one. */
export const fr: Messages = {
  root: "Fichiers",
  breadcrumbs: "Chemin du dossier",
  up: "Dossier parent",
  folderOf: (name) => `Contenu de ${name}`,
  name: "Nom",
  modified: "Modifié",
  size: "Taille",
  actions: "Actions",
  select: (name) => `Sélectionner ${name}`,
  selectAll: "Tout sélectionner",
  download: "Télécharger",
  downloadFile: (name) => `Télécharger ${name}`,
  refresh: "Actualiser",
  filter: "Filtrer ce dossier",
  clearFilter: "Effacer le filtre",
  items: (count, written) => (count < 2 ? `${written} élément` : `${written} éléments`),
  matches: (matching, all) => `${matching} sur ${all}`,
  selected: (written) => `Sélection : ${written}`,
  clearSelection: "Annuler la sélection",
  loadedNote: (written) => `Tri parmi les ${written} chargés. Il y en a d’autres.`,
  loadMore: "En charger d’autres",
  loadAll: "Tout charger",
  stop: "Arrêter",
  upload: "Envoyer",
  uploadElsewhere: (folder) => `Ce dossier est en lecture seule. Les envois vont dans ${folder}.`,
  goThere: "Y aller",
  dropHere: (folder) => `Déposez pour envoyer dans ${folder}`,
  noDropHere: (folder) => `Les envois vont dans ${folder}, pas ici`,
  loading: "Chargement…",
  withoutScript:
    "Pour ouvrir des dossiers, télécharger et envoyer, il faut JavaScript, qui est désactivé dans ce navigateur.",
  dismiss: "Fermer",
  downloadFailed: (name, why) => `${name} n’a pas été téléchargé. ${why}`,
  problems: {
    offline: "Vous êtes hors ligne : réessayez une fois la connexion revenue.",
    unreachable: "La connexion a été interrompue : réessayez dans un instant.",
    unavailable: "Les fichiers ne sont pas disponibles pour le moment : réessayez dans un instant.",
    denied: "Vous n’y avez pas accès.",
    not_found: "Il n’est plus là.",
    session_ended: "Votre session est terminée : rechargez la page ou reconnectez-vous.",
    cors_blocked: "Le stockage ne laisse pas cette page le lire : prévenez le responsable de cette page.",
    store_refused: "Le stockage ne fonctionne pas pour l’instant : prévenez le responsable de cette page.",
    bad_name: "Ce nom de fichier n’est pas pris en charge.",
    failed: "Le stockage ne l’a pas remis. Il n’existe peut-être plus : actualisez, puis réessayez.",
  },
  renewing: "Renouvellement de votre session…",
  retry: "Réessayer",
  requestId: (id) => `Requête ${id}`,
  retryNow: "Essayer maintenant",
  retryIn: (written) => `Nouvel essai dans ${written} s`,

  states: {
    empty: { title: "Ce dossier est vide", text: "Les fichiers qui y seront ajoutés apparaîtront ici." },
    emptyUpload: {
      title: "Rien ici pour l’instant",
      text: "Déposez des fichiers ou des dossiers, ou choisissez-les sur votre appareil.",
    },
    noMatch: {
      title: (filter) => `Rien ne correspond à « ${filter} »`,
      text: "Vérifiez l’orthographe, ou effacez le filtre pour voir tout le dossier.",
      more: "La recherche ne porte que sur ce qui est chargé, et il y en a d’autres.",
    },
    notRenewed: {
      title: "Votre session a expiré",
      text: "La page qui contient ces fichiers ne l’a pas encore renouvelée. Votre place et vos envois sont conservés.",
    },
    session_ended: {
      title: "Votre session est terminée",
      text: "Rechargez la page ou reconnectez-vous pour continuer.",
    },
    offline: {
      title: "Vous êtes hors ligne",
      text: "Les fichiers reviennent d’eux-mêmes dès que la connexion est rétablie.",
    },
    unreachable: {
      title: "Les fichiers sont injoignables",
      text: "La connexion a été interrompue. Nous continuons d’essayer.",
    },
    unavailable: {
      title: "Les fichiers ne sont pas disponibles pour le moment",
      text: "L’espace où ils sont conservés ne répond pas. Rien n’est perdu, et nous continuons d’essayer.",
    },
    denied: {
      title: "Vous n’avez pas accès à ce dossier",
      text: "Demandez à la personne qui vous a donné accès à ces fichiers de l’y inclure.",
    },
    not_found: {
      title: "Ces fichiers ne sont plus ici",
      text: "L’endroit où ils étaient conservés n’existe pas. Le responsable de cette page peut y remédier.",
    },
    failed: {
      title: "Un problème est survenu",
      text: "Vous n’y êtes pour rien. Réessayez et, si cela persiste, prévenez le responsable de cette page.",
    },
  },

  uploads: {
    title: (done, total) =>
      done === total
        ? total === 1
          ? "1 envoi terminé"
          : `${total} envois terminés`
        : total === 1
          ? "Envoi de 1 fichier"
          : `Envoi : ${done} sur ${total} fichiers`,
    attention: (count) => (count === 1 ? "1 envoi vous attend" : `${count} envois vous attendent`),
    region: "Envois",
    of: "sur",
    waiting: "En attente",
    starting: "Démarrage…",
    retrying: "Interruption. Nouvel essai…",
    finishing: "Finalisation…",
    cancelled: "Annulé",
    cancel: (name) => `Annuler l’envoi de ${name}`,
    remove: (name) => `Retirer ${name} de la liste`,
    retry: "Réessayer",
    retryName: (name) => `Réessayer l’envoi de ${name}`,
    clear: "Effacer les terminés",
    collapse: "Réduire",
    expand: "Afficher les envois",
    conflict: "Un fichier de ce nom est déjà ici.",
    replace: "Remplacer",
    keepBoth: "Garder les deux",
    skip: "Ignorer",
    forAll: (count) => `Pour les ${count}`,
    tooLarge: (most: string) => `Trop volumineux : un fichier peut faire jusqu’à ${most}.`,
    typeNotAllowed: (types: string) =>
      `Ce type de fichier n’est pas accepté ici${types && `, seulement ${types}`}.`,
    problems: {
      offline: "Vous êtes hors ligne. L’envoi reprendra à votre retour.",
      unreachable: "La connexion a été perdue, et les nouveaux essais n’ont pas abouti.",
      unavailable: "La destination n’est pas disponible pour le moment. Réessayez dans un instant.",
      denied: "Vous ne pouvez pas envoyer dans ce dossier.",
      not_found: "La destination n’existe pas.",
      session_ended: "Votre session est terminée.",
      cors_blocked:
        "Le stockage n’accepte pas de fichiers de cette page : prévenez son responsable. Les téléchargements fonctionnent.",
      store_refused: "Le stockage ne fonctionne pas pour l’instant : prévenez le responsable de cette page.",
      bad_name: "Ce nom ne peut pas être conservé : renommez le fichier et réessayez.",
      failed: "L’envoi n’a pas abouti.",
    },
  },

  preview: {
    close: "Fermer",
    next: "Fichier suivant",
    previous: "Fichier précédent",
    position: (index, total) => `${index} sur ${total}`,
    loading: "Chargement de l’aperçu…",
    none: "Il n’y a pas d’aperçu pour ce type de fichier.",
    tooLarge: (limit) => `Trop volumineux pour un aperçu : la limite est de ${limit}.`,
    binary: "Cela ne ressemble pas à du texte.",
    cut: (shown, all) =>
      `Les premiers ${all === null ? shown : `${shown} sur ${all}`}. Téléchargez le fichier pour voir le reste.`,
    failed: "L’aperçu n’a pas pu être chargé. Téléchargez le fichier pour le voir.",
    page: (page, pages) => `Page ${page} sur ${pages}`,
  },

  announcements: {
    opened: (folder, items) => `${folder}, ${items}`,
    sorted: (column, direction) => `Trié par ${column}, ${direction}`,
    ascending: "croissant",
    descending: "décroissant",
    filtered: (written) => `${written} correspondances`,
    loaded: (written) => `${written} chargés`,
    uploaded: (name) => `${name} envoyé`,
    uploadFailed: (name) => `${name} n’a pas été envoyé`,
    downloadStarted: (name) => `Téléchargement de ${name}`,
  },
};
